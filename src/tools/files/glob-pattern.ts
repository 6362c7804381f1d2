// Compiles globs for RE2. RE2 takes time proportional to the path's length, so no pattern can block the process (A65).
// Supports `*`, `?`, `[…]`, `{a,b}`, and `**` as a whole path segment. Other shell patterns are refused with a reason.

import { RE2JS } from "re2js";

export type GlobPattern = { ok: true; matches(path: string): boolean } | { ok: false; why: string };

const MAX_DEPTH = 10;

export function compileGlob(pattern: string): GlobPattern {
  if (/[+@!?*]\([^)]*\|/.test(pattern) || /[+@!]\(/.test(pattern))
    return invalidPattern("patterns such as @(a|b) are not known: write {a,b}");
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern))
    return invalidPattern("ranges such as {1..9} are not known: write [1-9], or {8,9,10}");
  const source = translate(pattern.replace(/^(\.\/)+/, ""));
  if (source === undefined) return invalidPattern("its braces are not closed, or too deep");
  try {
    const compiled = RE2JS.compile(source, RE2JS.DOTALL);
    return { ok: true, matches: (path) => compiled.testExact(path) };
  } catch {
    return invalidPattern("a range in brackets runs backwards");
  }
}

function translate(pattern: string): string | undefined {
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const startsPart = at === 0 || /[/{,]/.test(pattern[at - 1]!);
    const folders = startsPart ? /^\*\*(?:\/\*\*)*(\/|$|(?=[,}]))/.exec(rest) : null;
    const group = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
    if (folders) {
      source += folders[1] === "/" ? "(?:[^/]+/)*" : ".+";
      at += folders[0].length;
    } else if (group) {
      source += `[${group[1] ? "^/" : ""}${group[2]!.replace(/[\\[\]^&]/g, "\\$&")}]`;
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
      const [length, piece] = nextCharacter(rest);
      source += piece;
      at += length;
    }
  }
  return depth === 0 ? source : undefined;
}

/** Translates the next wildcard or literal character. Returns its length in the pattern, and its source for RE2. */
function nextCharacter(rest: string): [number, string] {
  const stars = /^\*+/.exec(rest)?.[0].length;
  if (stars) return [stars, "[^/]*"];
  if (rest[0] === "?") return [1, "[^/]"];
  const literal = String.fromCodePoint(rest.codePointAt(rest[0] === "\\" && rest.length > 1 ? 1 : 0)!);
  return [literal.length + (rest[0] === "\\" && rest.length > 1 ? 1 : 0), RE2JS.quote(literal)];
}

const invalidPattern = (why: string): GlobPattern => ({ ok: false, why });
