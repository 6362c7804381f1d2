// Finds bytes that are not text. The file is used anyway, with a warning.

import type { Problem } from "../config/problem.ts";

const UNREAD = [
  {
    code: "NOT_UTF8",
    pattern: /\uFFFD/,
    message: "bytes that are no UTF-8: the model reads \uFFFD in their place",
    suggestion: "save the file as UTF-8",
  },
  {
    code: "NUL_CHARACTER",
    pattern: /\0/,
    message: "a NUL character: the model reads it, people do not see it",
    suggestion: "take it out",
  },
] as const;

/** The first problem of each kind. `text`: the whole decoded file. */
export function encodingProblems(text: string, file: string): Problem[] {
  return UNREAD.flatMap(({ code, pattern, message, suggestion }): Problem[] => {
    const at = text.search(pattern);
    if (at < 0) return [];
    const before = text
      .slice(0, at)
      .replace(/^\uFEFF/, "")
      .split(/\r\n?|\n/);
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    return [{ file, ...place, code, severity: "warning", message, suggestion }];
  });
}
