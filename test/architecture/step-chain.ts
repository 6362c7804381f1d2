// Counts the files that a reader passes when following one step of a run: a wake, a model call, a tool call, and the commits (AR19).
// Files that many others import, such as `ids.ts` and `events.ts`, are shared vocabulary: a reader knows them, so they do not count.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Tree } from "./rule.ts";

export const LONGEST_CHAIN = 45;
const VOCABULARY = 15;

/** Runs `one-step.ts` in its own process, because V8 counts the calls of the whole process. */
export async function filesOfOneStep(): Promise<string[]> {
  const program = fileURLToPath(new URL("one-step.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return JSON.parse(stdout) as string[];
}

/** Returns one sentence if the chain is too long. It lists the counted files, so that the new one is easily found. */
export function chainProblems(files: readonly string[], tree: Tree, longest = LONGEST_CHAIN): string[] {
  const importers = countImporters(tree);
  const counted = files.filter((file) => (importers.get(file) ?? 0) < VOCABULARY);
  if (counted.length <= longest) return [];
  return [
    `one step passes ${counted.length} files, and ${longest} are allowed: join files that are one idea (${counted.join(", ")})`,
  ];
}

function countImporters({ sources }: Tree): Map<string, number> {
  const count = new Map<string, number>();
  for (const { isTest, path, imports } of sources) {
    if (isTest || !/^(?:dashboard\/)?src\//.test(path)) continue;
    const targets = imports.flatMap(({ target }) => (target === undefined ? [] : [target]));
    for (const target of new Set(targets)) count.set(target, (count.get(target) ?? 0) + 1);
  }
  return count;
}
