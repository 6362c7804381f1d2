// What a person sees before saying yes to a change of a file: the difference, whole and with nothing hidden in it (A17). What is too
// long to be shown whole is not shown at all, and cannot be approved.

import { createTwoFilesPatch } from "diff";
import { revealHidden, revealHiddenInName } from "../../journal/visible.ts";

/** Some thousands of lines: more than that nobody reads before an answer. */
const MAX_SHOWN = 200_000;

export const TOO_LONG =
  "would be changed in more places than can be shown to a person who is asked: make the change in parts";

/** Undefined where it is too long to be shown. */
export function diffPreview(path: string, before: string, after: string): string | undefined {
  const name = revealHiddenInName(path);
  if (before === after) return `${name}: no change`;
  // Bounded: the difference of two long unlike texts would hold up everybody else for minutes.
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: 100,
  });
  const text = revealHidden(patch?.replace(/^=+\n/, "") ?? wholeContent(name, after));
  return text.length > MAX_SHOWN ? undefined : text;
}

/** Each line marked as one of the file: none can pass for a word of ours. */
const wholeContent = (name: string, after: string): string =>
  `${name}: too different for a diff; the whole new content:\n${after.replace(/^/gm, "+")}`;
