// What of a file's bytes is no text that anybody meant: it is read all the same, and said where it stands.

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

/** The first of each kind. `text`: the whole file, as it was decoded. */
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
