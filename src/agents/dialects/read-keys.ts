// Reads the keys of a file one by one. The dialect's table has a reader for each key.
// A key without a reader is copied unchanged, so that the common check can suggest a similar key.

import type { Data } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { isMapping } from "../files/parse.ts";
import type { SourceFile, Translation } from "./dialect.ts";
import {
  finishTranslation,
  setKey,
  setLimit,
  startTranslation,
  type TranslationBuilder,
  warn,
  warnIgnored,
} from "./translation-builder.ts";

/** `key` is spelled as in the file. */
export type Reader = (builder: TranslationBuilder, value: Data, key: string) => void;

export type Readers = Readonly<Record<string, Reader>>;

/** Translates a file that has its keys at the top level. */
export function translateWith(source: SourceFile, readers: Readers): Translation {
  const builder = startTranslation(source);
  readAll(builder, source.keys, readers);
  return finishTranslation(builder);
}

export function readAll(
  builder: TranslationBuilder,
  keys: Readonly<Record<string, Data>>,
  readers: Readers,
): void {
  for (const [key, value] of Object.entries(keys)) {
    const reader = Object.hasOwn(readers, key) ? readers[key]! : sameKey;
    reader(builder, value, key);
  }
}

export const areTexts = (value: Data | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** The key has the same name and meaning in Cadre. */
export const sameKey: Reader = (builder, value, key) => setKey(builder, key, value, key);

/** The key is another name for a Cadre key. */
export const alias =
  (ours: string): Reader =>
  (builder, value, key) => {
    if (value === null) return;
    if (Object.hasOwn(builder.keys, ours)) return warnIgnored(builder, [key], `\`${ours}\` is said twice`);
    setKey(builder, ours, value, key);
  };

/** The key is only information and does not change what the agent does. */
export const metadataKey: Reader = (builder, value, key) => {
  builder.extra[key] = value;
};

/** The key belongs to a feature that Cadre does not have. */
export const unsupportedKey: Reader = (builder, value, key) => {
  builder.extra[key] = value;
  if (value === null || value === false) return;
  const message = `\`${key}\` has no effect here`;
  warn(builder, [key], { code: "UNSUPPORTED_KEY", message });
};

/** The key contains commands, endpoints or secrets. They are kept as text, and are never run or expanded. */
export const inertKey: Reader = (builder, value, key) => {
  builder.extra[key] = value;
  const message = `\`${key}\` is ignored in an agent file of another product: nothing in it is started`;
  const suggestion = /mcp/i.test(key) ? "declare the servers in cadre.yaml's `mcpServers`" : undefined;
  warn(builder, [key], omitUndefined({ code: "UNSUPPORTED_KEY", message, suggestion }));
};

/** The key's value is a whole number. Cadre's limit is this number multiplied by `unit`. */
export const limitKey =
  (name: string, unit = 1): Reader =>
  (builder, value, key) => {
    if (value === null) return;
    const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    const amount = typeof count === "number" ? Math.round(count * unit) : Number.NaN;
    if (!Number.isSafeInteger(amount) || amount < 0) {
      builder.extra[key] = value;
      return warnIgnored(builder, [key], `\`${key}\` must be a number`);
    }
    setLimit(builder, name, amount, key);
  };

/** The key's value is one model, a list of models, or `a | b`. The models are tried in this order. A placeholder `<a | b>` is a single name. */
export const modelKey: Reader = (builder, value, key) => {
  if (Array.isArray(value) && value.length === 0) return;
  if (typeof value !== "string" || !value.includes("|") || value.includes("<"))
    return setKey(builder, "model", value, key);
  const names = value.split("|").map((name) => name.trim().replace(/^(['"])(.*)\1$/, "$2"));
  setKey(
    builder,
    "model",
    names.filter((name) => name !== ""),
    key,
  );
};

/** The key says how much the model reasons: a level, a number of tokens, a switch, or a map of these. */
export const reasoningKey: Reader = (builder, value, key) => {
  if (value === null) return;
  const meant = isMapping(value) ? reasoningIn(value) : value;
  if (meant === undefined) return unsupportedKey(builder, value, key);
  alias("reasoning")(builder, reasoningWord(meant), key);
};

const BUDGET_KEYS = ["tokens", "budget", "budgetTokens", "budget_tokens", "maxTokens", "max_tokens"];

/** Products write `{ type: enabled, budget_tokens: 16000 }`, `{ effort: high }` or `{ enabled: false }`. */
function reasoningIn(value: Readonly<Record<string, Data>>): Data | undefined {
  if (value["enabled"] === false || value["type"] === "disabled") return "none";
  const budget = BUDGET_KEYS.map((key) => value[key]).find((each) => each !== undefined);
  return budget ?? value["effort"] ?? value["level"] ?? (value["enabled"] === true ? true : undefined);
}

function reasoningWord(value: Data): Data {
  if (value === "off" || value === false || value === 0) return "none";
  if (value === "on" || value === true) return "medium";
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}

/** With `user-invocable: false` or `hidden: true`, only other agents are allowed to call the agent. */
export const hiddenFlag =
  (flag: boolean): Reader =>
  (builder, value, key) => {
    if (value === flag) builder.hidden = true;
    builder.extra[key] = value;
  };

/** The key contains the prompt. It is used only if the file has no body. */
export const promptKey: Reader = (builder, value, key) => {
  if (typeof value === "string" && builder.body.trim() === "") builder.body = value.trim();
  else unsupportedKey(builder, value, key);
};

/** The key contains a JSON Schema. Cadre uses another name for this key. */
export const schemaAlias =
  (ours: string): Reader =>
  (builder, value, key) =>
    isMapping(value) ? alias(ours)(builder, value, key) : unsupportedKey(builder, value, key);
