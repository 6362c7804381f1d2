// What a person sees before saying yes to a change of a file: the difference, with nothing hidden in it.

import { createTwoFilesPatch } from "diff";
import { boundOutput } from "./output.ts";
import { visible } from "./visible.ts";

export function diffPreview(path: string, before: string, after: string): string {
  if (before === after) return `${visible(path)}: no change`;
  // Bounded: the difference of two long unlike texts would hold up everybody else for minutes.
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    timeout: 100,
  });
  const text =
    patch?.replace(/^=+\n/, "") ?? `${path}: too different for a diff; the whole new content:\n${after}`;
  return boundOutput(visible(text)).text;
}
