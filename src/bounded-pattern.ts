// Compiles a regular expression that a model or a stranger wrote, if searching a text with it takes at most a few seconds.
// RE2 needs time proportional to the text, but also to the size of the pattern: `(\w?){999}` repeated is as slow as backtracking (A78).

import { RE2JS } from "re2js";

/** Maximum length of a pattern, and maximum sum of its counted repetitions. Compiling a larger pattern takes seconds. */
const MAX_PATTERN = 2_000;
const MAX_REPEATED = 2_000;
/** Maximum of the compiled pattern's size times the length of the text. */
const MAX_WORK = 200_000_000;

/** `length` is the number of characters that will be searched. Undefined if RE2 cannot read the pattern, or if the search could take long. */
export function compileBounded(pattern: string, length: number, flags = 0): RE2JS | undefined {
  if (pattern.length > MAX_PATTERN || repeatedIn(pattern) > MAX_REPEATED) return undefined;
  try {
    const compiled = RE2JS.compile(pattern, flags);
    return compiled.programSize() * length <= MAX_WORK ? compiled : undefined;
  } catch {
    return undefined;
  }
}

const repeatedIn = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (sum, [, least, most]) => sum + Number(most || least),
    0,
  );
