// The contract of an architecture rule: it gets all files together and returns one sentence per problem.

import type { Files, Source } from "./sources.ts";

export interface Tree {
  files: Files;
  sources: readonly Source[];
}

export interface Rule {
  id: string;
  title: string;
  /** Each problem: `file:line: what is wrong`. */
  check(tree: Tree): string[];
}
