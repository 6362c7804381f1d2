// The diff that a person sees before approving a change of a file, complete and without hidden characters (A17). A diff that is
// too long to show is not shown at all, and cannot be approved.

import { createTwoFilesPatch } from "diff";
import { revealHidden, revealHiddenInName } from "../../journal/visible.ts";

/** Maximum length of a preview: a few thousand lines, the most that a person would read before approving. */
const MAX_SHOWN = 200_000;

export const TOO_LONG =
  "would be changed in more places than can be shown to a person who is asked: make the change in parts";

/** Undefined if it is too long to show. */
export function diffPreview(path: string, before: string, after: string): string | undefined {
  const name = revealHiddenInName(path);
  if (before === after) return `${name}: no change`;
  // The time limit is needed: a diff of two long, different texts would block the event loop for minutes.
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: 100,
  });
  const text = revealHidden(patch?.replace(/^=+\n/, "") ?? wholeContent(name, after));
  return text.length > MAX_SHOWN ? undefined : text;
}

/** Each line of the file starts with `+`, so that none can pass for our own text. */
const wholeContent = (name: string, after: string): string =>
  `${name}: too different for a diff; the whole new content:\n${after.replace(/^/gm, "+")}`;
