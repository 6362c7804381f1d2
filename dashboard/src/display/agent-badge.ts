// What of a file's `icon` and `color` can be shown: one emoji, and a plain colour. Files come from strangers, too.

import { visible } from "../../../src/journal/visible.ts";

const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const COLOR = /^(?:#[\da-f]{3}|#[\da-f]{6}|[a-z]{3,20})$/i;

export function emojiOf(icon: string | undefined): string | undefined {
  const text = icon?.trim() ?? "";
  const graphemes = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  return graphemes.length === 1 && PICTURE.test(text) && visible(text) === text ? text : undefined;
}

export const colorOf = (color: string | undefined): string | undefined =>
  color !== undefined && COLOR.test(color.trim()) ? color.trim() : undefined;
