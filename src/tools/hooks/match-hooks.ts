// Finds the hooks for a tool. A matcher is a name, a list of names (`Edit|Write`), or a regular expression, as in Claude Code.
// Regular expressions are RE2, so that no pattern can block the process.
// A pattern that RE2 cannot read matches every tool. It is safer to run a guard too often than too rarely.

import { RE2JS } from "re2js";
import { messageOf } from "../../errors.ts";

const NAMES = /^[\w\s,|-]*$/;

export interface Matcher {
  matches(names: readonly string[]): boolean;
  /** The reason why the pattern cannot be read. */
  problem?: string;
}

export function createMatcher(pattern: string | undefined): Matcher {
  const text = pattern?.trim() ?? "";
  if (text === "" || text === "*") return { matches: () => true };
  if (NAMES.test(text)) {
    const listed = new Set(text.split(/[|,]/).map((name) => name.trim()));
    return { matches: (names) => names.some((name) => listed.has(name)) };
  }
  try {
    const compiled = RE2JS.compile(text);
    return { matches: (names) => names.some((name) => compiled.matcher(name).find()) };
  } catch (error) {
    return { matches: () => true, problem: messageOf(error) };
  }
}
