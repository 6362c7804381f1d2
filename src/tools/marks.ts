// A model sees `⟦secret NAME⟧` where a file has the value. Written back, the mark would stand in the value's place for good.

import { findSecretMarks } from "../journal/masking/mask.ts";

/** Why this text must not take the place of that one, as the rest of a sentence; undefined: nothing is lost. */
export function markProblem(text: string, before: string): string | undefined {
  const mark = findSecretMarks(text).find((found) => !before.includes(found));
  if (mark === undefined) return undefined;
  return `would hold ${mark}, which stands for a value that is not shown here: leave the lines with it as they are and change others with Edit, or name the variable in its place`;
}
