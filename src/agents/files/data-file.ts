// Reads agent files without a body: TOML, JSON, and YAML files with modes. Limits and positions work as in front matter.

import { parse, TomlDate, TomlError } from "smol-toml";
import type { Problem } from "../../config/problem.ts";
import { type Data, type Path, readYaml, type YamlDocument } from "../../config/yaml.ts";
import { messageOf } from "../../errors.ts";

const MAX_LEXEMES = 12_000;
const MAX_DEPTH = 32;
const MAX_VALUES = 2_000;

/** Whether a file with this name has no body. */
export function isDataFile(file: string): boolean {
  return /\.(toml|json)$|(^|[/\\:])(\.roomodes|custom_modes\.ya?ml)$/i.test(file);
}

/** `line` is the line of the file on which the text starts. */
export function readDataFile(text: string, file: string, line: number): YamlDocument {
  const document = /\.toml$/i.test(file)
    ? readToml(text, file, line)
    : readYaml(text, file, { line, maxLexemes: MAX_LEXEMES });
  return Array.isArray(document.data) ? wrapRoles(document) : document;
}

/** If the file is a bare list, it must be a list of roles. */
export function wrapRoles(document: YamlDocument): YamlDocument {
  return {
    ...document,
    data: Object.assign(Object.create(null), { Roles: document.data }),
    at: (path, part) => document.at(path[0] === "Roles" ? path.slice(1) : path, part),
  };
}

function readToml(text: string, file: string, line: number): YamlDocument {
  const fail = (message: string, at: { line: number; column: number }): YamlDocument => {
    const place = { line: at.line + line - 1, column: at.column };
    const problem: Problem = { file, ...place, code: "BAD_TOML", severity: "error", message };
    return { file, data: null, problems: [problem], at: () => place };
  };
  try {
    const data = plainData(parse(text), { values: 0 }, 0);
    const lines = linesOutsideTexts(text);
    return { file, data, problems: [], at: (path) => tomlPosition(lines, path, line) };
  } catch (error) {
    if (!(error instanceof TomlError)) return fail(messageOf(error), { line: 1, column: 1 });
    const [said = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    return fail(said, { line: Math.max(error.line, 1), column: Math.max(error.column, 1) });
  }
}

/** Copies the values and counts them. If a file has more values than a person would write, it is rejected. */
function plainData(value: unknown, budget: { values: number }, depth: number): Data {
  if (depth > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`);
  if (++budget.values > MAX_VALUES) throw new RangeError("too many entries to be a hand-written file");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => plainData(item, budget, depth + 1));
  if (typeof value !== "object" || value === null) return null;
  const result: Record<string, Data> = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") throw new RangeError("`__proto__` is not allowed as a key");
    result[key] = plainData(item, budget, depth + 1);
  }
  return result;
}

/** Position of the first line that starts with a key of `path`. Inner keys are tried first. Lines in multi-line strings are skipped. */
function tomlPosition(
  lines: readonly TomlLine[],
  path: Path,
  first: number,
): { line: number; column: number } {
  for (const key of path.filter((step) => typeof step === "string").reverse()) {
    const word = `["']?${RegExp.escape(key)}["']?`;
    const begins = new RegExp(`^\\s*(?:${word}\\s*[.=]|\\[+\\s*(?:[^\\]]*\\.)?${word}\\s*\\])`);
    const found = lines.find(({ content }) => begins.test(content));
    if (found) return { line: found.line + first - 1, column: found.content.search(/\S/) + 1 };
  }
  return { line: first, column: 1 };
}

interface TomlLine {
  line: number;
  content: string;
}

function linesOutsideTexts(text: string): TomlLine[] {
  let inside = false;
  return text.split("\n").flatMap((content, index) => {
    const starts = !inside;
    for (const _ of content.matchAll(/"""|'''/g)) inside = !inside;
    return starts ? [{ line: index + 1, content }] : [];
  });
}
