// Wildcards of other products, said in ours. There `*` is any text at all, spaces and slashes included; here words match
// words and folders match folders. What lets a call pass comes out equal or narrower, what holds one back equal or wider.

export interface TranslatedPattern {
  rule: string;
  /** Not exactly what was written. */
  narrowed: boolean;
}

/** Undefined: only the whole tool would be enough. */
export function commandPattern(pattern: string, effect: "pass" | "hold"): TranslatedPattern | undefined {
  const text = pattern.trim();
  const open = text.endsWith("*");
  const head = open ? text.replace(/\*+$/, "") : text;
  // `rm*` is `rm` with anything behind it: as a word of its own it would not see `rm -rf`.
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

/** The same files, in a glob where only `**` reaches over slashes: `src/*` is `src/**`. Undefined: too many stars. */
export function pathPattern(pattern: string): string | undefined {
  const segments = pattern.trim().replace(/^\.\//, "").split("/");
  const globs = segments.map((segment, index) => segmentGlob(segment, index === segments.length - 1));
  const glob = globs.join("/").replace(/(\*\*\/)+\*\*/g, "**");
  // Stars inside words become choices between patterns, and many of them cost a matcher without end.
  return pattern.trim() === "" || glob.split("{").length > MAX_CHOICES ? undefined : glob;
}

const MAX_CHOICES = 5;

/** Whether some text could match both; in doubt, yes. */
export function mayOverlap(a: string, b: string): boolean {
  if (a.length * b.length > 40_000) return true;
  const [left, right] = [loose(a), loose(b)];
  // reach[j]: whether what was read of `left` so far can be what `right` is up to j. One row, of bytes: every pair of a
  // file's patterns comes here.
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

/** Whether a pattern speaks of every call. */
export const matchesEverything = (pattern: string): boolean => /^(\.\/)?\*+(\/\*+)*$/.test(pattern.trim());

/** Letter case does not matter. Not by a regular expression: a pattern with many stars would take it for ever. */
export function wildcard(pattern: string): { test(text: string): boolean } {
  const wanted = pattern.toLowerCase();
  return { test: (text) => matches(wanted, text.toLowerCase()) };
}

/** `*` is any text, `?` any one character. Only the latest star is ever taken back. */
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

/** A star may reach over slashes: at a segment's start into folders above it, at its end into folders below. */
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

const loose = (pattern: string): string => pattern.trim().replace(/ \*$/, "*");
