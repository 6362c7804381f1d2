// Tells the state of a stopped rebase, cherry-pick, revert or bisect that names no program from a state that would start one.
// A state without programs stays after a command. Otherwise an agent could not solve a conflict.
// Every other state is protected, because a person who continues the operation outside the sandbox would run its program.

import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The files without which git knows no operation to continue, and the checks of files from which git takes programs. */
const OPERATIONS: Readonly<Record<string, { needs: readonly string[]; checks: Checks }>> = {
  "rebase-merge": {
    needs: ["git-rebase-todo", "head-name", "onto", "orig-head"],
    checks: { "git-rebase-todo": isHarmlessTodo, strategy: isOwnStrategy },
  },
  "rebase-apply": {
    needs: ["next", "last"],
    checks: { strategy: isOwnStrategy, "apply-opt": (text) => text.trim() === "" },
  },
  sequencer: { needs: ["todo", "head"], checks: { todo: isHarmlessTodo, opts: areHarmlessOptions } },
};

type Checks = Readonly<Record<string, (text: string) => boolean>>;

/** git writes the output of a test into `BISECT_RUN`. It names no program, but no later command needs it. */
const BISECT = /^BISECT_(?!RUN$)[A-Z_]+$/;

/** True if git can have written this entry of a git folder for an operation that has stopped, and the entry names no program. */
export async function isHarmlessState(folder: string, entry: string): Promise<boolean> {
  const path = join(folder, entry);
  if (BISECT.test(entry)) return isOwnFile(path);
  const operation = Object.hasOwn(OPERATIONS, entry) ? OPERATIONS[entry] : undefined;
  if (!operation || !(await lstat(path)).isDirectory()) return false;
  const names = await readdir(path);
  if (!operation.needs.every((name) => names.includes(name))) return false;
  for (const name of names) {
    if (!(await isOwnFile(join(path, name)))) return false;
    const check = Object.hasOwn(operation.checks, name) ? operation.checks[name] : undefined;
    if (check && !check(await readFile(join(path, name), "utf8"))) return false;
  }
  return true;
}

/** False for links: another name of the file could change it later. */
async function isOwnFile(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isFile() && stats.nlink === 1;
}

const INSTRUCTIONS = new Set(
  (
    "pick p revert edit e reword r fixup f squash s label l reset t merge m update-ref u drop d " +
    "noop break b"
  ).split(" "),
);

/** False for `exec` lines, and for instructions of a future git. */
function isHarmlessTodo(text: string): boolean {
  return text.split("\n").every((line) => {
    const [word = ""] = line.trim().split(/\s/, 1);
    return word === "" || word.startsWith("#") || INSTRUCTIONS.has(word);
  });
}

/** git starts the program `git-merge-NAME` for every other strategy, also from a folder in the workspace. */
function isOwnStrategy(text: string): boolean {
  return /^(ort|recursive|resolve|octopus|ours|subtree)?$/.test(text.trim());
}

function areHarmlessOptions(text: string): boolean {
  return text.split("\n").every((line) => {
    const [, key, value = ""] = /^\t([a-z-]+) = ([\w.=-]*)$/.exec(line) ?? [];
    if (key === undefined) return line === "" || line === "[options]";
    return key !== "strategy" || isOwnStrategy(value);
  });
}
