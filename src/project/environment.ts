// The surroundings in which a run starts, as its prompt describes them: the day, the system and the state of the git repository.

import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../journal/events.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { inFolder, tryGit } from "../tools/git/run-git.ts";

const SHOWN_FILES = 15;
/** git can take long in a large repository. In that case the run starts without the repository's state. */
const GIT_MS = 3_000;

/** In a folder that is not trusted, the names of its branch and files are left out: they could be instructions to the model (A75). */
export async function readEnvironment(
  folder: string,
  now: number,
  { trusted }: { trusted: boolean },
): Promise<Environment> {
  const found = isInRepository(folder) ? await gitState(folder) : undefined;
  const git = trusted ? found : withoutNames(found);
  return {
    day: dayOf(now),
    os: `${SYSTEMS[platform()] ?? platform()} (${arch()})`,
    ...omitUndefined({ git }),
  };
}

function withoutNames(git: Environment["git"]): Environment["git"] {
  if (!git) return undefined;
  const count = (git.changed?.length ?? 0) + (git.more ?? 0);
  return { unnamed: true, ...(count > 0 ? { more: count } : {}) };
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "macOS",
  linux: "Linux",
  win32: "Windows",
};

/** The local date. */
export function dayOf(now: number): string {
  const date = new Date(now);
  const pad = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Looks for `.git` without starting git. */
function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}

async function gitState(folder: string): Promise<Environment["git"]> {
  const status = await tryGit({ ...inFolder(folder), timeout: GIT_MS }, [
    ...["status", "--porcelain=v1", "--branch", "-z", "--no-renames", "--ignore-submodules=all", "--", "."],
  ]);
  if (!status.ok) return undefined;
  const [head = "", ...entries] = status.output.split("\0").filter((line) => line !== "");
  const branch = /^## (?:No commits yet on )?(\S+?)(?:\.\.\.|$)/.exec(head)?.[1];
  const changed = entries.map((entry) => `${entry.slice(0, 2).trim()} ${entry.slice(3)}`);
  const more = Math.max(0, changed.length - SHOWN_FILES);
  return {
    ...omitUndefined({ branch: branch === "HEAD" ? undefined : branch }),
    ...(changed.length > 0 ? { changed: changed.slice(0, SHOWN_FILES) } : {}),
    ...(more > 0 ? { more } : {}),
  };
}
