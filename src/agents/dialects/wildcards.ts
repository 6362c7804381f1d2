// Translates wildcards of other products into ours. In theirs `*` matches any text, with spaces and slashes; in ours
// words match words and folders match folders. A rule that allows comes out equal or narrower, one that asks or denies
// equal or wider.

export interface TranslatedPattern {
  rule: string;
  /** The rule does not match exactly the same calls. */
  narrowed: boolean;
}

/** The rule for a command pattern. Undefined: only a rule about the whole tool covers it. */
export function commandPattern(pattern: string, effect: "pass" | "hold"): TranslatedPattern | undefined {
  const text = pattern.trim();
  const open = text.endsWith("*");
  const head = open ? text.replace(/\*+$/, "") : text;
  // `rm*` matches `rm` followed by anything. As a single word in our rules it would not match `rm -rf`.
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

/** The same files as a glob in which only `**` crosses slashes: `src/*` becomes `src/**`. Undefined: too many stars. */
export function pathPattern(pattern: string): string | undefined {
  const segments = pattern.trim().replace(/^\.\//, "").split("/");
  const globs = segments.map((segment, index) => segmentGlob(segment, index === segments.length - 1));
  const glob = globs.join("/").replace(/(\*\*\/)+\*\*/g, "**");
  // Stars inside words become alternatives, and too many of those make matching very slow.
  return pattern.trim() === "" || glob.split("{").length > MAX_CHOICES ? undefined : glob;
}

const MAX_CHOICES = 5;

/** Whether some text could match both patterns. In doubt, yes. */
export function mayOverlap(a: string, b: string): boolean {
  if (a.length * b.length > 40_000) return true;
  const [left, right] = [loose(a), loose(b)];
  // reach[j]: whether the part of `left` read so far can match `right` up to j. A single row of bytes, because every pair
  // of patterns in a file is compared.
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

/** Whether a pattern matches every call. */
export const matchesEverything = (pattern: string): boolean => /^(\.\/)?\*+(\/\*+)*$/.test(pattern.trim());

/** Ignores case. Not a regular expression: a pattern with many stars would make one backtrack for ever. */
export function wildcard(pattern: string): { test(text: string): boolean } {
  const wanted = pattern.toLowerCase();
  return { test: (text) => matches(wanted, text.toLowerCase()) };
}

/** `*` matches any text, `?` one character. Backtracks only to the latest star. */
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

/** In the source a star crosses slashes: at the start of a segment into folders above, at its end into folders below. */
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
