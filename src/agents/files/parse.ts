// Parses an agent file into data with positions. The file has front matter and a body, or consists only of data.
// The parser accepts any input, evaluates nothing, and reports where parsing failed (A55-A58). All positions refer to the file on disk.

import { hasErrors, type Problem } from "../../config/problem.ts";
import { type Data, readYaml, type YamlDocument } from "../../config/yaml.ts";
import { isDataFile, readDataFile } from "./data-file.ts";
import { GATE_KEYS, KNOWN_KEYS, PROSE_KEYS } from "./known-keys.ts";
import { repairYaml } from "./repair-yaml.ts";

export interface ParsedAgent {
  file: string;
  /** The front matter, as an object without a prototype. Empty if it could not be parsed. */
  frontmatter: Record<string, Data>;
  body: string;
  bodyLine: number;
  document: YamlDocument;
  problems: Problem[];
}

/** Size of the largest file that is accepted. Callers check the size before they read the file. */
export const MAX_FILE = 1_000_000;
const MAX_FRONTMATTER = 64_000;
const MAX_WHOLE = 400_000;

/** The file extension decides how the source is parsed. */
export function parseAgent(source: string, file: string): ParsedAgent {
  if (source.length > MAX_FILE) return tooLargeFile(file, "the file is larger than 1 MB");
  const parsed = parseText(source, file);
  return { ...parsed, problems: [...parsed.problems, ...encodingProblems(source, file)] };
}

function parseText(source: string, file: string): ParsedAgent {
  const { text, line } = unwrap(source);
  if (isDataFile(file)) return parseWhole(text, file, line);
  const fence = openingFence(text);
  if (!fence.ok) return unreadableFile({ file, line, ...fence });
  const close = closingFence(text);
  if (!close) {
    const message = "the front matter is not closed";
    const suggestion = "add a line `---` before the prompt";
    return unreadableFile({ file, line, code: "FRONTMATTER_UNCLOSED", message, suggestion });
  }
  const start = text.indexOf("\n") + 1;
  if (close.at - start > MAX_FRONTMATTER) {
    const message = "the front matter is larger than 64 kB";
    const suggestion = "keep the prompt below the closing `---`";
    return unreadableFile({ file, line: line + 1, code: "FRONTMATTER_TOO_LARGE", message, suggestion });
  }
  const body = text.slice(close.end);
  const bodyLine = line + 1 + countLines(text.slice(start, close.end));
  const document = readFrontmatter(text.slice(start, close.at), file, line + 1);
  return {
    file,
    frontmatter: mappingOf(document),
    body: body.trim(),
    bodyLine: bodyLine + leadingLines(body),
    document,
    problems: [
      ...document.problems,
      ...shapeProblems(document, line + 1),
      ...lengthProblems(document),
      ...bodyProblems(file, body, bodyLine),
    ],
  };
}

/** Removes a byte order mark and a `#!` line, and normalises line ends. `line` takes the removed line into account. */
function unwrap(source: string): { text: string; line: number } {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (!text.startsWith("#!")) return { text, line: 1 };
  const end = text.indexOf("\n");
  return { text: end < 0 ? "" : text.slice(end + 1), line: 2 };
}

function parseWhole(text: string, file: string, line: number): ParsedAgent {
  if (text.length > MAX_WHOLE) return tooLargeFile(file, "a file of data is larger than 400 kB");
  const document = readDataFile(text, file, line);
  const problems = [...document.problems, ...shapeProblems(document, line), ...lengthProblems(document)];
  return { file, frontmatter: mappingOf(document), body: "", bodyLine: line, document, problems };
}

type Fence = { ok: true } | { ok: false; code: string; message: string; suggestion: string };

/** Some parsers evaluate the code after `---js`. Cadre accepts only a bare `---`. */
const LANGUAGE_FENCE = /^---[ \t]*[A-Za-z]+[ \t]*(?:\n|$)/;

function openingFence(text: string): Fence {
  if (/^---[ \t]*(?:\n|$)/.test(text)) return { ok: true };
  if (LANGUAGE_FENCE.test(text)) {
    const message = "unsupported front matter: only YAML between bare `---` lines is read";
    return { ok: false, code: "UNSUPPORTED_FRONTMATTER", message, suggestion: "open it with `---` alone" };
  }
  const message = "no front matter";
  const suggestion = "start the file with `---`, `description: …`, `---`";
  return { ok: false, code: "NO_FRONTMATTER", message, suggestion };
}

function closingFence(text: string): { at: number; end: number } | undefined {
  const fence = /\n---[ \t]*(?:\n|$)/g;
  fence.lastIndex = Math.max(0, text.indexOf("\n"));
  const found = fence.exec(text);
  return found ? { at: found.index + 1, end: found.index + found[0].length } : undefined;
}

function readFrontmatter(yaml: string, file: string, line: number): YamlDocument {
  const document = readYaml(quoteStar(yaml), file, { line });
  return hasErrors(document.problems) ? repairYaml(yaml, document, line) : document;
}

/** Cadre's documentation uses `tools: *`, which is not valid YAML. */
const quoteStar = (yaml: string): string => yaml.replace(/^(tools:[ \t]*)\*[ \t]*$/m, '$1"*"');

function mappingOf(document: YamlDocument): Record<string, Data> {
  return isMapping(document.data) && !hasErrors(document.problems) ? document.data : Object.create(null);
}

function shapeProblems(document: YamlDocument, line: number): Problem[] {
  const { data } = document;
  const isEmpty = data === null || (isMapping(data) && Object.keys(data).length === 0);
  if ((isMapping(data) && !isEmpty) || hasErrors(document.problems)) return [];
  const message = isEmpty ? "there are no keys" : "keys must be `key: value` lines";
  const suggestion = "say at least `description: …`";
  const { file } = document;
  return [{ file, line, column: 1, code: "BAD_FRONTMATTER", severity: "error", message, suggestion }];
}

/** Maximum length of a value, except for prose keys. Long names and rules would be slow to compare with each other. */
const MAX_VALUE = 8_000;
const MAX_LIST = 500;

function lengthProblems(document: YamlDocument): Problem[] {
  const { file } = document;
  return Object.entries(mappingOf(document)).flatMap(([key, value]): Problem[] => {
    const most = lengthLimit(value) ?? (GATE_KEYS.has(key) ? totalLimit(value) : undefined);
    if (most === undefined || !KNOWN_KEYS.has(key) || PROSE_KEYS.has(key)) return [];
    const message = `\`${key}\` is longer than ${most}`;
    return [{ file, ...document.at([key]), code: "VALUE_TOO_LONG", severity: "error", message }];
  });
}

function lengthLimit(value: Data): string | undefined {
  if (typeof value === "string" && value.length > MAX_VALUE) return `${MAX_VALUE} characters`;
  if (Array.isArray(value) && value.length > MAX_LIST) return `${MAX_LIST} entries`;
  return undefined;
}

/** Limits the total length of a key's value, because rules are compared with each other. */
function totalLimit(value: Data): string | undefined {
  return textLength(value) > MAX_RULES ? `${MAX_RULES} characters in all` : undefined;
}

/** Four times the length of the longest value in the corpus of real files. */
const MAX_RULES = 4_000;

function textLength(value: Data): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + textLength(inner), 0);
}

/** Text that the model reads, but that people do not see when they look at the file (A58). */
export const HIDDEN_TEXT = [
  {
    code: "INVISIBLE_TEXT",
    pattern: /[\u{E0000}-\u{E01EF}\u202A-\u202E\u2060-\u2064\u2066-\u2069\u200B\u3164]/u,
    message: "invisible characters in the prompt: the model reads them, people do not",
  },
  {
    code: "HIDDEN_COMMENT",
    pattern: /<!--/,
    message: "an HTML comment in the prompt: the model reads it, a rendered page does not show it",
  },
] as const;

function bodyProblems(file: string, body: string, bodyLine: number): Problem[] {
  const problems: Problem[] = [];
  if (LANGUAGE_FENCE.test(body.trimStart())) {
    const message = "unsupported front matter at the start of the prompt";
    const line = bodyLine + leadingLines(body);
    problems.push({ file, line, column: 1, code: "UNSUPPORTED_FRONTMATTER", severity: "error", message });
  }
  for (const { code, pattern, message } of HIDDEN_TEXT) {
    const at = body.search(pattern);
    if (at < 0) continue;
    const line = bodyLine + countLines(body.slice(0, at));
    const column = at - body.lastIndexOf("\n", at - 1);
    problems.push({ file, line, column, code, severity: "warning", message });
  }
  return problems;
}

type Fault = Pick<Problem, "file" | "line" | "code" | "message" | "suggestion">;

export function unreadableFile(fault: Fault): ParsedAgent {
  const { file } = fault;
  const problem: Problem = { ...fault, column: 1, severity: "error" };
  const document = readYaml("", file);
  return { file, frontmatter: Object.create(null), body: "", bodyLine: 1, document, problems: [problem] };
}

export function tooLargeFile(file: string, message: string): ParsedAgent {
  return unreadableFile({
    file,
    line: 1,
    code: "FILE_TOO_LARGE",
    message,
    suggestion: "move data out of the prompt",
  });
}

export function isMapping(data: unknown): data is Record<string, Data> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

const leadingLines = (body: string): number =>
  countLines(body.slice(0, body.length - body.trimStart().length));

/** Reports bytes that are not text. The file is still used, with a warning. */
const UNREADABLE = [
  {
    code: "NOT_UTF8",
    pattern: /\uFFFD/,
    message: "bytes that are not UTF-8: the model reads \uFFFD instead",
    suggestion: "save the file as UTF-8",
  },
  {
    code: "NUL_CHARACTER",
    pattern: /\0/,
    message: "a NUL character: the model reads it, people do not see it",
    suggestion: "take it out",
  },
] as const;

/** Reports the first problem of each kind in the decoded file. */
function encodingProblems(text: string, file: string): Problem[] {
  return UNREADABLE.flatMap(({ code, pattern, message, suggestion }): Problem[] => {
    const at = text.search(pattern);
    if (at < 0) return [];
    const before = text
      .slice(0, at)
      .replace(/^\uFEFF/, "")
      .split(/\r\n?|\n/);
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    return [{ file, ...place, code, severity: "warning", message, suggestion }];
  });
}
