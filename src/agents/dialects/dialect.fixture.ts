// Test helpers that create a source file for a dialect and translate it.

import { problemText } from "../../config/problem.ts";
import type { Data } from "../../config/yaml.ts";
import { parseAgent } from "../files/parse.ts";
import type { Dialect, SourceFile, Translation } from "./dialect.ts";
import { splitNames, toolMeaning } from "./tool-names.ts";

export function sourceOf(text: string, file: string): SourceFile {
  const { frontmatter, body, document, problems } = parseAgent(text, file);
  if (problems.length > 0) throw new Error(problems.map(problemText).join("\n"));
  return { file, below: file.replace(/^(?:.*\/)?agents?\//, ""), keys: frontmatter, body, document };
}

export function translateAll(dialect: Dialect, text: string, file: string): Translation[] {
  return dialect.translate(sourceOf(text, file));
}

/** Translates front matter with a short body, for dialects in Markdown. */
export function translateKeys(dialect: Dialect, yaml: string, file = "agents/a.md"): Translation {
  return translateAll(dialect, `---\n${yaml}\n---\nBody.\n`, file)[0]!;
}

export const codesOf = ({ problems }: Translation): string[] => problems.map(({ code }) => code);

/** Copies translated keys, which have no prototype, into a plain object that `toEqual` can compare. */
export const plain = (value: Data | Record<string, Data>): unknown => JSON.parse(JSON.stringify(value));

export const isMap = (value: Data): value is Record<string, Data> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Collects every word anywhere in a value, including the words in its keys. */
export function wordsIn(value: Data): string[] {
  if (typeof value === "string") return splitNames(value);
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return isMap(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...wordsIn(inner)]) : [];
}

/** Words that mean several tools. The list of a word has every tool that the word means in some product. */
const GROUPS = {
  edit: ["Edit", "Write"],
  write: ["Edit", "Write"],
  fs_write: ["Edit", "Write"],
  search: ["Grep", "Glob", "LS"],
  web: ["WebFetch", "WebSearch"],
  read: ["Read", "Grep", "Glob", "LS"],
  "read-only": ["Read", "Grep", "Glob", "LS"],
  command: ["Bash"],
  browser: ["WebFetch", "WebSearch"],
  mcp: ["mcp__*__*"],
};

/** True if a file with this word is allowed to produce this allow rule. */
export function standsFor(word: string, rule: string): boolean {
  const [tool = "", scope] = rule.split("(");
  const meaning = toolMeaning(word, { groups: GROUPS });
  if (
    meaning.kind === "tools" &&
    meaning.rules.some((one) => one === rule || (scope !== undefined && one === tool))
  )
    return true;
  const [server = "", name = "*"] = word.replace(/^@/, "").split("/");
  return rule === `mcp__${server}__${name}`;
}
