// Tests with real files of other products. The variable CADRE_CORPUS is the path of a folder with these files and a manifest.json.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasErrors } from "../../config/problem.ts";
import type { Data } from "../../config/yaml.ts";
import { type ParsedAgent, parseAgent } from "../files/parse.ts";
import { isMap, standsFor, wordsIn } from "./dialect.fixture.ts";
import type { Translation } from "./dialect.ts";
import { dialectOf, dialects } from "./index.ts";

interface Entry {
  file: string;
  path: string;
  dialect: string;
}

const folder = process.env["CADRE_CORPUS"] ?? "";
const manifest = join(folder, "manifest.json");
const entries: Entry[] =
  folder !== "" && existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")) : [];
const parsed = entries.map((entry): Entry & { parsed: ParsedAgent } => ({
  ...entry,
  parsed: parseAgent(readFileSync(join(folder, entry.file), "utf8"), entry.path),
}));
const readable = parsed.filter((entry) => !hasErrors(entry.parsed.problems));

/** Products that have no unique key. Their files can only be recognised by their folder. */
const UNMARKED = /^(claude|gemini)$/;

describe.skipIf(entries.length === 0)("the corpus (set CADRE_CORPUS to its folder)", () => {
  test("nearly every file of the corpus is read", () => {
    expect(readable.length).toBeGreaterThan(entries.length * 0.95);
  });

  test("every file of the corpus is read in the dialect of its product, or as a Cadre file if the product is unclear", () => {
    const wrong = readable.flatMap(({ path, dialect, parsed: { frontmatter } }) => {
      const found = dialectOf(path, frontmatter)?.name;
      const unmarked = found === undefined && UNMARKED.test(dialect) && !/\.(claude|gemini)\//.test(path);
      return found === dialect || unmarked ? [] : [`${path}: ${dialect} taken for ${found ?? "cadre"}`];
    });
    expect(wrong).toEqual([]);
  });

  test("no agent gets a tool that its file does not name, and no file makes a dialect throw", () => {
    const wider = readable.flatMap((entry) => {
      const { parsed: agent, path, dialect } = entry;
      const { frontmatter: keys, body, document, file } = agent;
      const results = dialects
        .find(({ name }) => name === dialect)!
        .translate({ file, below: path, keys, body, document });
      expect(results.length).toBeGreaterThan(0);
      return results.flatMap((result) => tooMuch(result, keys).map((rule) => `${path}: ${rule}`));
    });
    expect(wider).toEqual([]);
  });
});

/** Lists the allow rules that no word in the file asks for. If a file names no tools, any list of allowed tools is an error. */
function tooMuch({ keys: { tools = null } }: Translation, keys: Readonly<Record<string, Data>>): string[] {
  const said = [
    keys["tools"],
    keys["permission"],
    keys["permissions"],
    keys["allowedTools"],
    ...modeTools(keys),
  ];
  const words = said.flatMap((value) => wordsIn(value ?? null));
  const allow = (Array.isArray(tools) ? tools : isMap(tools) ? tools["allow"] : undefined) as
    | string[]
    | undefined;
  if (allow === undefined) return [];
  if (words.length === 0 && !said.some(Array.isArray)) return ["a list out of nothing"];
  const closedMap = isMap(keys["permission"] ?? null) || isMap(keys["permissions"] ?? null);
  return closedMap ? [] : allow.filter((rule) => !words.some((word) => standsFor(word, rule)));
}

function modeTools(keys: Readonly<Record<string, Data>>): Data[] {
  const modes = Array.isArray(keys["customModes"]) ? keys["customModes"] : Object.values(keys);
  return modes.flatMap((mode) => (isMap(mode) ? [mode["groups"] ?? null, mode["tools"] ?? null] : []));
}
