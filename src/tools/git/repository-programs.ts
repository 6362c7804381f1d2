// Settings of a repository that make git start programs, for an agent's commands and for worktrees (A30).

import { join } from "node:path";
import type { GitSetting } from "../shell/clean-environment.ts";
import { LFS_COMMAND, overridesOf, type RepositorySetting } from "./repository-settings.ts";
import { gitError, hardenedEnvironment, inFolder, readRepositorySettings, tryGit } from "./run-git.ts";

/**
 * Environment variables for a read-only command. They replace variables of the same name in the clean environment.
 * Throws if the repository's settings cannot be read.
 */
export async function readOnlyGitEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const [own, submodules] = await Promise.all([ownSettings(folder), submodulesOf(folder)]);
  return hardenedEnvironment([
    ...overridesOf(own),
    ...submodules.map((name): GitSetting => [`submodule.${name}.ignore`, "dirty"]),
    // If this setting is on, `git diff` rewrites the index, which runs a hook.
    ["diff.autoRefreshIndex", "false"],
  ]);
}

/** Repository settings that make git start programs on add, checkout or merge. Settings of git-lfs are left out. */
export async function repositoryPrograms(folder: string): Promise<string[]> {
  const starts = /^(filter\..+\.(clean|smudge|process)|merge\..+\.driver)$/s;
  const own = await ownSettings(folder);
  return own.filter(({ key, value }) => starts.test(key) && !LFS_COMMAND.test(value)).map(({ key }) => key);
}

async function ownSettings(folder: string): Promise<RepositorySetting[]> {
  const found = await readRepositorySettings(inFolder(folder));
  if (Array.isArray(found)) return found;
  throw gitError("config", found);
}

async function submodulesOf(folder: string): Promise<string[]> {
  const top = await tryGit(inFolder(folder), ["rev-parse", "--show-toplevel"]);
  if (!top.ok) return [];
  const file = join(top.output.replace(/\n$/, ""), ".gitmodules");
  const said = await tryGit(inFolder(folder), ["config", "--file", file, "--list", "--name-only", "-z"]);
  const names = said.output.split("\0").flatMap((key) => /^submodule\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)];
}
