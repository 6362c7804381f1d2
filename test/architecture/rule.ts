// The contract of an architecture rule. A rule gets all files at once and returns one sentence for each problem.

import type { Files, Source } from "./sources.ts";

export interface Tree {
  files: Files;
  sources: readonly Source[];
}

export interface Rule {
  id: string;
  title: string;
  /** Returns the problems in the form `file:line: what is wrong`. */
  check(tree: Tree): string[];
}
