// All rules of the architecture, and the question they answer together.

import { importRules } from "./import-rules.ts";
import type { Rule, Tree } from "./rule.ts";
import { type Files, parseSources } from "./sources.ts";
import { textRules } from "./text-rules.ts";

export const RULES: readonly Rule[] = [...importRules, ...textRules];

export const treeOf = (files: Files): Tree => ({ files, sources: parseSources(files) });

/** Everything that is wrong with these files, or what one rule finds wrong. */
export function problems(tree: Tree, id?: string): string[] {
  return RULES.filter((rule) => id === undefined || rule.id === id).flatMap((rule) => rule.check(tree));
}
