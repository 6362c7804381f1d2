// All rules of the architecture, and the question they answer together.

import { importRules } from "./import-rules.ts";
import type { Rule } from "./rule.ts";
import { type Files, parseSources } from "./sources.ts";
import { textRules } from "./text-rules.ts";

export const RULES: readonly Rule[] = [...importRules, ...textRules];

/** Everything that is wrong with these files, or what one rule finds wrong. */
export function problems(files: Files, id?: string): string[] {
  const tree = { files, sources: parseSources(files) };
  return RULES.filter((rule) => id === undefined || rule.id === id).flatMap((rule) => rule.check(tree));
}
