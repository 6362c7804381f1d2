// The list of all architecture rules, and the function that runs them.

import { importRules } from "./import-rules.ts";
import type { Rule, Tree } from "./rule.ts";
import { type Files, parseSources } from "./sources.ts";
import { textRules } from "./text-rules.ts";

export const RULES: readonly Rule[] = [...importRules, ...textRules];

export const treeOf = (files: Files): Tree => ({ files, sources: parseSources(files) });

/** Returns the problems that one rule finds in these files. If no rule is given, all rules run. */
export function problems(tree: Tree, id?: string): string[] {
  return RULES.filter((rule) => id === undefined || rule.id === id).flatMap((rule) => rule.check(tree));
}
