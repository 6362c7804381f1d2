// Compiles globs for RE2. RE2 takes time proportional to the path's length, so no pattern can block the process (A65, A73).
// Supports `*`, `?`, `[…]`, `{a,b}`, and `**` as a whole path segment. Other shell patterns are refused with a reason.

import { RE2JS } from "re2js";

export type GlobPattern = { ok: true; matches(path: string): boolean } | { ok: false; why: string };

export interface GlobOptions {
  ignoreCase?: boolean;
  /** For permission rules: `x/**` also matches `x`, and `**.ts` also matches `a/b.ts`. */
  isRule?: boolean;
  /** The rule's text is not a path, so a wildcard also matches `/`. */
  isText?: boolean;
}

const MAX_DEPTH = 10;
/** A longer pattern is refused, because RE2's time also grows with the pattern. */
const MAX_PATTERN = 500;

export function compileGlob(pattern: string, options: GlobOptions = {}): GlobPattern {
  const why = globProblem(pattern, options);
  if (why !== undefined) return invalidPattern(why);
  const source = translate(pattern.replace(/^(\.\/)+/, ""), options);
  if (source === undefined) return invalidPattern("its braces are not closed, or too deep");
  try {
    const flags = RE2JS.DOTALL | (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const compiled = RE2JS.compile(source, flags);
    return { ok: true, matches: (path) => compiled.testExact(path) };
  } catch {
    return invalidPattern("a range in brackets runs backwards");
  }
}

/** Other matchers read these as alternatives and repetitions. A rule that Cadre reads in another way could deny too little. */
const OTHER_SYNTAX = /(?<!\\)(?:[+@!?*]\(|\||[\]})]\+)/;

/** True if a wildcard does not end this part of a pattern. */
const endsLiteral = (before: string, depth: number): boolean =>
  /(?:\\.|[^\\/{*])$/.test(before) && !(depth > 0 && before.endsWith(","));

function globProblem(pattern: string, { isRule = false }: GlobOptions): string | undefined {
  if (pattern.length > MAX_PATTERN && /[*?[{]/.test(pattern))
    return `it has wildcards and more than ${MAX_PATTERN} characters`;
  if (isRule && /^!/.test(pattern))
    return "a pattern cannot begin with !: write \\! for the character itself";
  if (isRule && OTHER_SYNTAX.test(pattern))
    return "patterns such as @(a|b) and [0-9]+ are not known: write {a,b} or *, or a backslash before the character itself";
  if (/[+@!?*]\([^)]*\|/.test(pattern) || /[+@!]\(/.test(pattern))
    return "patterns such as @(a|b) are not known: write {a,b}";
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern))
    return "ranges such as {1..9} are not known: write [1-9], or {8,9,10}";
  return undefined;
}

function translate(pattern: string, { isText = false, isRule = isText }: GlobOptions): string | undefined {
  const inside = isText ? "." : "[^/]";
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const startsPart = at === 0 || /[/{,]/.test(pattern[at - 1]!);
    const folders = startsPart ? /^\*\*(?:\/\*\*)*(\/|$|(?=[,}]))/.exec(rest) : null;
    const below =
      isRule && endsLiteral(pattern.slice(0, at), depth) ? /^\/\*\*(?:\/\*\*)*(?=$|[,}])/.exec(rest) : null;
    const anywhere = isRule && startsPart ? /^\*\*(?![*/]|$)/.exec(rest) : null;
    const group = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
    if (below) {
      source += "(?:/.*)?";
      at += below[0].length;
    } else if (folders) {
      source += folders[1] === "/" ? `(?:${inside}+/)*` : ".+";
      at += folders[0].length;
    } else if (anywhere) {
      source += ".*";
      at += anywhere[0].length;
    } else if (group) {
      source += `[${group[1] ? (isText ? "^" : "^/") : ""}${group[2]!.replace(/[\\[\]^&]/g, "\\$&")}]`;
      at += group[0].length;
    } else if (rest[0] === "{" && /^\{[^{}]*[,{]/.test(rest)) {
      if (++depth > MAX_DEPTH) return undefined;
      source += "(?:";
      at++;
    } else if (depth > 0 && (rest[0] === "," || rest[0] === "}")) {
      source += rest[0] === "," ? "|" : ")";
      if (rest[0] === "}") depth--;
      at++;
    } else {
      const [length, piece] = nextCharacter(rest, inside);
      source += piece;
      at += length;
    }
  }
  return depth === 0 ? source : undefined;
}

/** Translates the next wildcard or literal character. Returns its length in the pattern, and its source for RE2. */
function nextCharacter(rest: string, inside: string): [number, string] {
  const stars = /^\*+/.exec(rest)?.[0].length;
  if (stars) return [stars, `${inside}*`];
  if (rest[0] === "?") return [1, inside];
  const literal = String.fromCodePoint(rest.codePointAt(rest[0] === "\\" && rest.length > 1 ? 1 : 0)!);
  return [literal.length + (rest[0] === "\\" && rest.length > 1 ? 1 : 0), RE2JS.quote(literal)];
}

const invalidPattern = (why: string): GlobPattern => ({ ok: false, why });
