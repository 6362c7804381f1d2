// Translates other products' wildcards into Cadre's. In other products, `*` matches any text, including spaces and slashes.
// In Cadre, a `*` in a command matches within one word, and a `*` in a path matches within one folder.
// A translated allow rule matches the same calls or fewer. A translated ask or deny rule matches the same calls or more.

export interface TranslatedPattern {
  rule: string;
  /** Whether the translated rule and the original pattern match different calls. */
  narrowed: boolean;
}

/** Translates a pattern for commands. Undefined if only a rule for the whole tool would cover the pattern. */
export function commandPattern(pattern: string, effect: "pass" | "hold"): TranslatedPattern | undefined {
  const text = pattern.trim();
  const open = text.endsWith("*");
  const head = open ? text.replace(/\*+$/, "") : text;
  // `rm*` matches `rm` followed by anything. In Cadre's rules, `rm*` would be a single word and would not match `rm -rf`.
  const exact = !open ? text : head === "" || head.endsWith(" ") ? `${head}*` : `${head}* *`;
  if (!/[*?]/.test(head)) return { rule: exact, narrowed: false };
  if (effect === "pass") return { rule: exact, narrowed: true };
  const words = head.split(/\s+/);
  const before = words.slice(
    0,
    words.findIndex((word) => /[*?]/.test(word)),
  );
  return before.length === 0 ? undefined : { rule: `${before.join(" ")} *`, narrowed: true };
}

/**
 * Translates a path pattern to a glob in which only `**` crosses slashes: `src/*` becomes `src/**`.
 * Undefined if the pattern has too many stars.
 */
export function pathPattern(pattern: string): string | undefined {
  const segments = pattern.trim().replace(/^\.\//, "").split("/");
  const globs = segments.map((segment, index) => segmentGlob(segment, index === segments.length - 1));
  const glob = globs.join("/").replace(/(\*\*\/)+\*\*/g, "**");
  // Each star inside a word is translated to a group of alternatives. Too many alternatives make matching very slow.
  return pattern.trim() === "" || glob.split("{").length > MAX_CHOICES ? undefined : glob;
}

const MAX_CHOICES = 5;

/** Whether some text could match both patterns. True if we cannot tell. */
export function mayOverlap(a: string, b: string): boolean {
  if (a.length * b.length > 40_000) return true;
  const [left, right] = [normalizePattern(a), normalizePattern(b)];
  // `reach[j]` says whether the first j characters of `right` can match the characters of `left` that were read so far.
  // One row of bytes keeps this fast. Speed matters, because all pairs of patterns in a file are compared.
  const reach = new Uint8Array(right.length + 1);
  reach.fill(1, 0, 1 + /^\**/.exec(right)![0].length);
  for (let i = 0; i < left.length; i++) {
    const char = left.charCodeAt(i);
    let before = reach[0]!;
    if (char !== STAR) reach[0] = 0;
    for (let j = 1; j <= right.length; j++) {
      const here = reach[j]!;
      const other = right.charCodeAt(j - 1);
      if (char === STAR) reach[j] = here | reach[j - 1]!;
      else if (other === STAR) reach[j] = here | reach[j - 1]! | before;
      else reach[j] = char === other || char === ANY || other === ANY ? before : 0;
      before = here;
    }
  }
  return reach[right.length] === 1;
}

const STAR = "*".charCodeAt(0);
const ANY = "?".charCodeAt(0);

export const matchesEverything = (pattern: string): boolean => /^(\.\/)?\*+(\/\*+)*$/.test(pattern.trim());

/** Ignores letter case. We do not use a regular expression: with many stars, it would backtrack for very long. */
export function wildcard(pattern: string): { test(text: string): boolean } {
  const wanted = pattern.toLowerCase();
  return { test: (text) => matches(wanted, text.toLowerCase()) };
}

/** `*` matches any text, and `?` matches one character. The search backtracks only to the latest star. */
export function matches(pattern: string, text: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  let next = 0;
  while (next < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      mark = next;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[next])) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++mark;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** Translates a star that also matches slashes, as in other products: `*a` also matches `x/a`, and `a*` also matches `a/x`. */
function segmentGlob(segment: string, last: boolean): string {
  if (/^\*\*+$/.test(segment)) return "**";
  if (segment === "*") return last ? "**" : "*/**";
  const pieces = segment
    .replace(/\*+/g, "*")
    .replace(/[[\]{}()!+@|\\^$]/g, "\\$&")
    .split("*");
  return pieces.reduce((glob, piece, index) => {
    if (index === 1 && glob === "") return `**/*${piece}`;
    if (last && index === pieces.length - 1 && piece === "") return `${glob}*{,/**}`;
    return `${glob}{*,*/**/*}${piece}`;
  });
}

const normalizePattern = (pattern: string): string => pattern.trim().replace(/ \*$/, "*");

const MAX_ALTERNATIVES = 64;
/** Control characters that represent the anchors `^` and `$` during the translation. */
const START = "\u0002";
const END = "\u0003";

/** Returns wildcards that match the same paths as a simple regular expression. Undefined if the expression is not simple. */
export function regexWildcards(source: string): string[] | undefined {
  const reader: Reader = { source, at: 0 };
  const found = alternatives(reader);
  if (!found || reader.at < source.length) return undefined;
  const patterns = found.map((text) => {
    const open = text.startsWith(START) ? text.slice(1) : `*${text}`;
    return (open.endsWith(END) ? open.slice(0, -1) : `${open}*`).replace(/\*+/g, "*");
  });
  return patterns.some((text) => text.includes(START) || text.includes(END)) ? undefined : patterns;
}

interface Reader {
  source: string;
  at: number;
}

/** Reads the alternatives `a|b`, up to a closing bracket or the end of the text. */
function alternatives(reader: Reader): string[] | undefined {
  const all: string[] = [];
  do {
    const one = sequence(reader);
    if (!one) return undefined;
    all.push(...one);
    if (all.length > MAX_ALTERNATIVES) return undefined;
  } while (take(reader, /\|/y) !== undefined);
  return all;
}

function sequence(reader: Reader): string[] | undefined {
  let texts = [""];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at]!)) {
    const next = piece(reader);
    if (!next) return undefined;
    texts = texts.flatMap((text) => next.map((more) => text + more));
    if (texts.length > MAX_ALTERNATIVES) return undefined;
  }
  return texts;
}

function piece(reader: Reader): string[] | undefined {
  if (take(reader, /\.[*+]/y) !== undefined) return ["*"];
  if (take(reader, /\((\?:)?(?!\?)/y) !== undefined) {
    const inner = alternatives(reader);
    const closed = take(reader, /\)(?![*+?{])/y) !== undefined;
    return closed ? inner : undefined;
  }
  if (take(reader, /\^/y) !== undefined) return [START];
  if (take(reader, /\$/y) !== undefined) return [END];
  const text = take(reader, /(?:\\[./_-]|[^\\.*+?()[\]{}|^$])(?![*+?{])/y);
  return text === undefined ? undefined : [text.replace(/^\\/, "")];
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.source)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}
