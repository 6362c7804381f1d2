// `npm run models` writes src/models/catalogue.json: the names and abilities of models, as the installed provider packages list them.
// Run it after an update of these packages or of the price list, look at the difference, and commit it. It uses no network.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { anthropicModelCatalog } from "@ai-sdk/anthropic/internal";
import { getGoogleLanguageModelEntry } from "@ai-sdk/google/internal";
import { openaiModelCatalog } from "@ai-sdk/openai/internal";
import type { ModelCapabilities, ModelCapability } from "@ai-sdk/provider";
import type { ListedAbilities } from "../src/models/catalogue.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = `${root}/src/models/catalogue.json`;
const require = createRequire(import.meta.url);

interface Entry {
  capabilities: ModelCapabilities;
  requestConfig?: { language?: object };
}

function abilitiesOf({ capabilities: { language }, requestConfig }: Entry): ListedAbilities | undefined {
  // Skips models without tools, which cannot work as agents, and entries that are not language models.
  if (language === undefined || language.tools.usage === false) return undefined;
  const { inputs, reasoning } = language;
  const { maxOutputTokens: maxOutput } = { ...requestConfig?.language } as { maxOutputTokens?: number };
  const native = (language as { structuredOutput?: { native?: boolean } }).structuredOutput?.native;
  return withoutUnknown({
    maxOutput,
    vision: known(inputs.image),
    reasoning: reasoning.efforts ?? known(reasoning.support),
    jsonSchema: native ?? known(language.objectGeneration),
  });
}

const known = (ability: ModelCapability): boolean | undefined =>
  typeof ability === "boolean" ? ability : undefined;

const withoutUnknown = (facts: Record<string, unknown>): ListedAbilities =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

/** Google's package exports no list of names, but its types name the models. */
function googleNames(): string[] {
  const types = readFileSync(`${root}/node_modules/@ai-sdk/google/dist/index.d.ts`, "utf8");
  const union = /type GoogleModelId =([^;]*);/.exec(types)?.[1] ?? "";
  return [...union.matchAll(/'(gemini-[^']+)'/g)].map(([, name]) => name!);
}

const PACKAGES: Record<string, Iterable<readonly [string, Entry]>> = {
  anthropic: Object.entries(anthropicModelCatalog),
  openai: Object.entries(openaiModelCatalog) as [string, Entry][],
  google: googleNames()
    .filter((name) => !/tts|audio|live|image|banana/.test(name))
    .map((name) => [name, getGoogleLanguageModelEntry(name)] as const),
};

const models = Object.entries(PACKAGES).flatMap(([provider, entries]) =>
  [...entries].flatMap(([name, entry]) => {
    const abilities = abilitiesOf(entry);
    return abilities ? [[`${provider}/${name}`, abilities] as const] : [];
  }),
);
const from = Object.keys(PACKAGES).map((provider) => {
  const name = `@ai-sdk/${provider}`;
  return [name, require(`${name}/package.json`).version];
});
const sorted = models.toSorted(([one], [other]) => (one < other ? -1 : 1));
const text = JSON.stringify({ from: Object.fromEntries(from), models: Object.fromEntries(sorted) }, null, 2);
writeFileSync(file, `${text}\n`);
execFileSync(`${root}/node_modules/.bin/biome`, ["format", "--write", file], { stdio: "ignore" });
console.log(`${sorted.length} models written to src/models/catalogue.json`);
