// Parses source files only as far as the architecture rules need.
// TypeScript 7 has no compiler API. So we replace comments and the contents of strings, templates and regular expressions with spaces.
// Blanking does not change the length, so a match in the blanked text has the same position in the source.

import { posix } from "node:path";

export interface Import {
  specifier: string;
  /** Path of the imported file, relative to the root. Undefined for packages and `node:` modules. */
  target: string | undefined;
  line: number;
  /** Whether this is an `import(…)` expression, which can import a type or a module. */
  dynamic: boolean;
  /** Whether this is an `import type`, which does not exist at run time. */
  typeOnly: boolean;
}

export interface Source {
  path: string;
  text: string;
  /** The source text in which everything except code is replaced by spaces. */
  code: string;
  imports: Import[];
  isTest: boolean;
}

/** Paths relative to the root, with forward slashes. */
export type Files = ReadonlyMap<string, string>;

export function parseSources(files: Files): Source[] {
  return [...files]
    .filter(([path]) => /\.tsx?$/.test(path))
    .map(([path, text]) => {
      const code = blank(text);
      const isTest = /\.(test|contract|fixture)\.tsx?$/.test(path) || path.startsWith("test/");
      return { path, text, code, imports: findImports(path, text, code), isTest };
    });
}

export const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

const STATEMENT = /^[ \t]*(?:import|export)\b[^;"'`=()]*?\bfrom\s*["']|^[ \t]*import\s*["']/gm;
const EXPRESSION = /\bimport\s*\(\s*["'`]/g;

function findImports(path: string, text: string, code: string): Import[] {
  const found = (pattern: RegExp, dynamic: boolean) =>
    Array.from(code.matchAll(pattern), (match): Import => {
      const start = match.index + match[0].length;
      const specifier = text.slice(start, code.indexOf(code[start - 1] ?? "", start));
      const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
      const typeOnly = /^\s*(?:import|export) type\b/.test(match[0]);
      return { specifier, target, line: lineAt(text, start), dynamic, typeOnly };
    });
  return [...found(STATEMENT, false), ...found(EXPRESSION, true)];
}

const PIECE = /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[`{}/]|[^/"'`{}]+/y;
const TEMPLATE_PIECE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** A slash starts a regular expression after these characters. After any other character, it is a division or closes a tag. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{;+\-*%~^>]|\b(?:return|typeof|case|in|of|await|void))\s*$/;

export function blank(text: string): string {
  const open: ("brace" | "template")[] = [];
  let inTemplate = false;
  let code = "";
  while (code.length < text.length) {
    const at = code.length;
    if (inTemplate) {
      const piece = match(TEMPLATE_PIECE, text, at);
      const end = /(?:`|\$\{)?$/.exec(piece)?.[0] ?? "";
      code += spaces(piece.slice(0, piece.length - end.length)) + end;
      inTemplate = false;
      if (end === "${") open.push("template");
      continue;
    }
    const piece = match(PIECE, text, at);
    if (piece === "{") open.push("brace");
    if (piece === "}") inTemplate = open.pop() === "template";
    if (piece === "`") inTemplate = true;
    code += piece === "/" ? slash(text, at, code) : blankPiece(piece);
  }
  return code;
}

function blankPiece(piece: string): string {
  if (piece.startsWith("//") || piece.startsWith("/*")) return spaces(piece);
  const quote = piece[0] ?? "";
  if (quote !== '"' && quote !== "'") return piece;
  const closed = piece.length > 1 && piece.endsWith(quote);
  return quote + spaces(piece.slice(1, closed ? -1 : undefined)) + (closed ? quote : "");
}

function slash(text: string, at: number, before: string): string {
  const regex = BEFORE_REGEX.test(before.slice(-40)) ? match(REGEX, text, at) : "";
  return regex === "" ? "/" : `/${spaces(regex.slice(2))}/`;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const spaces = (text: string): string => text.replaceAll(/[^\n]/g, " ");
