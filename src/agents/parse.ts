// An agent file split into frontmatter (plain data, with positions) and body. Reads anything, evaluates nothing, and
// always says where it stopped understanding (A55-A58).

import { hasErrors, type Problem } from "../config/problem.ts";
import { type Data, readYaml, type YamlDocument } from "../config/yaml.ts";

export interface ParsedAgent {
  file: string;
  /** Without prototype; empty where it could not be read. */
  frontmatter: Record<string, Data>;
  body: string;
  /** The line of the file that the body starts on. */
  bodyLine: number;
  document: YamlDocument;
  problems: Problem[];
}

const MAX_FILE = 1_000_000;
const MAX_FRONTMATTER = 64_000;

export function parseAgent(source: string, file: string): ParsedAgent {
  if (source.length > MAX_FILE) {
    return unreadable(
      file,
      "FILE_TOO_LARGE",
      1,
      "the file is larger than 1 MB",
      "move data out of the prompt",
    );
  }
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const fence = openingFence(text);
  if (!fence.ok) return unreadable(file, fence.code, 1, fence.message, fence.suggestion);
  const close = closingFence(text);
  if (!close) {
    const message = "the front matter is not closed";
    return unreadable(file, "FRONTMATTER_UNCLOSED", 1, message, "add a line `---` before the prompt");
  }
  const start = text.indexOf("\n") + 1;
  const yaml = text.slice(start, close.at);
  if (yaml.length > MAX_FRONTMATTER) {
    const message = "the front matter is larger than 64 kB";
    return unreadable(file, "FRONTMATTER_TOO_LARGE", 2, message, "keep the prompt below the closing `---`");
  }
  const body = text.slice(close.end);
  const bodyLine = 2 + countLines(text.slice(start, close.end));
  const document = readYaml(quoteStar(yaml), file, 2);
  const problems = [...document.problems, ...shapeProblems(document), ...bodyProblems(file, body, bodyLine)];
  const usable = isMapping(document.data) && !hasErrors(document.problems);
  const frontmatter = usable ? (document.data as Record<string, Data>) : Object.create(null);
  return {
    file,
    frontmatter,
    body: body.trim(),
    bodyLine: bodyLine + leadingLines(body),
    document,
    problems,
  };
}

type Fence = { ok: true } | { ok: false; code: string; message: string; suggestion: string };

/** `---js` makes other parsers evaluate what follows: nothing but a bare `---` opens front matter here. */
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
  let line = text.indexOf("\n") + 1;
  while (line > 0) {
    const next = text.indexOf("\n", line);
    const content = text.slice(line, next < 0 ? text.length : next);
    if (/^---[ \t]*$/.test(content)) return { at: line, end: next < 0 ? text.length : next + 1 };
    line = next + 1;
  }
  return undefined;
}

/** `tools: *` is in our own documentation, and no YAML. */
const quoteStar = (yaml: string): string => yaml.replace(/^(tools:[ \t]*)\*[ \t]*$/m, '$1"*"');

function shapeProblems(document: YamlDocument): Problem[] {
  if (isMapping(document.data) || hasErrors(document.problems)) return [];
  const message =
    document.data === null ? "the front matter is empty" : "the front matter must be `key: value` lines";
  const suggestion = "say at least `description: …`";
  const { file } = document;
  return [{ file, line: 2, column: 1, code: "BAD_FRONTMATTER", severity: "error", message, suggestion }];
}

/** What a person who reads the file would not see, but the model would (A58). */
const HIDDEN = [
  {
    code: "INVISIBLE_TEXT",
    pattern: /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200B]/u,
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
  for (const { code, pattern, message } of HIDDEN) {
    const at = body.search(pattern);
    if (at < 0) continue;
    const line = bodyLine + countLines(body.slice(0, at));
    const column = at - body.lastIndexOf("\n", at - 1);
    problems.push({ file, line, column, code, severity: "warning", message });
  }
  return problems;
}

function unreadable(
  file: string,
  code: string,
  line: number,
  message: string,
  suggestion: string,
): ParsedAgent {
  const problem: Problem = { file, line, column: 1, code, severity: "error", message, suggestion };
  const document = readYaml("", file);
  return { file, frontmatter: Object.create(null), body: "", bodyLine: 1, document, problems: [problem] };
}

export function isMapping(data: unknown): data is Record<string, Data> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

const countLines = (text: string): number => text.split("\n").length - 1;

const leadingLines = (body: string): number =>
  countLines(body.slice(0, body.length - body.trimStart().length));
