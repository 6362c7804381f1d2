// Builds the diff that a person sees before approving a change of a file. The diff is complete and shows hidden characters (A17).
// If the diff is too long, it is not shown at all, and the change cannot be approved.

import { createTwoFilesPatch } from "diff";
import { revealHidden, revealHiddenInName } from "../../journal/visible.ts";

/** Maximum length of a preview: a few thousand lines, which is the most that a person would read. */
const MAX_SHOWN = 200_000;

export const TOO_LONG =
  "would be changed in more places than can be shown to a person who is asked: make the change in parts";

/** Returns undefined if the diff is too long to show. */
export function diffPreview(path: string, before: string, after: string): string | undefined {
  const name = revealHiddenInName(path);
  if (before === after) return `${name}: no change`;
  // The time is limited, because a diff of two long, different texts could block the event loop for minutes.
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: 100,
  });
  const text = revealHidden(patch?.replace(/^=+\n/, "") ?? wholeContent(name, after));
  return text.length > MAX_SHOWN ? undefined : text;
}

/** Every line of the file starts with `+`, so that no line can look like Cadre's own text. */
const wholeContent = (name: string, after: string): string =>
  `${name}: too different for a diff; the whole new content:\n${after.replace(/^/gm, "+")}`;
