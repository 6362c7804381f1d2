// A repository's configuration can name programs that git starts even to convert a file, show a diff or fetch missing objects.
// A command that runs without approval must start none of these programs (A30).
// Git has no single switch for these programs, so each setting is overridden by name. The user's own git configuration still applies.

import { join } from "node:path";
import { type GitSetting, gitSettingVariables } from "../shell/clean-environment.ts";
import { inFolder, tryGit } from "./run-git.ts";

/** Environment variables for a read-only command. They replace variables of the same name in the clean environment. */
export async function readOnlyGitEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const [own, submodules] = await Promise.all([ownSettings(folder), submodulesOf(folder)]);
  const named = own.flatMap(({ key }) => /^submodule\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return {
    ...gitSettingVariables([
      ...READING,
      ...own.flatMap(harmlessSettings),
      ...[...submodules, ...named].map((name): GitSetting => [`submodule.${name}.ignore`, "dirty"]),
    ]),
    // Git must not fetch the missing objects of a partial clone, because the remote's configuration can name a program to start.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
  };
}

/** Repository settings that make git start programs on add, checkout or merge. Settings of git-lfs are left out. */
export async function repositoryPrograms(folder: string): Promise<string[]> {
  const starts = /^(filter\..+\.(clean|smudge|process)|merge\..+\.driver)$/s;
  const own = await ownSettings(folder);
  return own.filter(({ key, value }) => starts.test(key) && !LFS_COMMAND.test(value)).map(({ key }) => key);
}

/** Git settings for read-only commands. Most of them keep git out of submodules, whose configuration Cadre has not read. */
const READING: readonly GitSetting[] = [
  // If this setting is on, `git diff` rewrites the index, which runs a hook.
  ["diff.autoRefreshIndex", "false"],
  ["safe.bareRepository", "explicit"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  ["log.showSignature", "false"],
];

/** git-lfs is a well-known filter that the user has installed. */
export const LFS_COMMAND = /^git-lfs (clean|smudge|filter-process)( --skip)?( -- %f)?( %f)?$/;

/** Replaces an external diff program with git's own diff. The `#` turns the arguments that git appends into a comment. */
const PLAIN_DIFF = `git --no-pager diff --no-index --no-ext-diff --no-textconv -- "$2" "$5" || : #`;

interface OwnSetting {
  key: string;
  value: string;
}

function harmlessSettings({ key, value }: OwnSetting): GitSetting[] {
  if (key === "diff.external" || /^diff\..+\.command$/s.test(key)) return [[key, PLAIN_DIFF]];
  if (/^diff\..+\.textconv$/s.test(key)) return [[key, "cat"]];
  if (/^gpg(\..+)?\.program$/s.test(key)) return [[key, "false"]];
  const filter = /^(filter\..+)\.(clean|smudge|process)$/s.exec(key)?.[1];
  if (filter === undefined || LFS_COMMAND.test(value)) return [];
  return [
    [key, ""],
    [`${filter}.required`, "false"],
  ];
}

/** Settings from the repository's configuration and the files it includes. Settings of the user and the system are left out. */
async function ownSettings(folder: string): Promise<OwnSetting[]> {
  const { output } = await tryGit(inFolder(folder), ["config", "--list", "--show-scope", "-z"]);
  const words = output.split("\0");
  const found: OwnSetting[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, setting] = [words[at]!, words[at + 1]!];
    const end = setting.indexOf("\n");
    const [key, value] = end < 0 ? [setting, ""] : [setting.slice(0, end), setting.slice(end + 1)];
    if (scope === "local" || scope === "worktree") found.push({ key, value });
  }
  return found;
}

async function submodulesOf(folder: string): Promise<string[]> {
  const top = await tryGit(inFolder(folder), ["rev-parse", "--show-toplevel"]);
  if (!top.ok) return [];
  const file = join(top.output.replace(/\n$/, ""), ".gitmodules");
  const said = await tryGit(inFolder(folder), ["config", "--file", file, "--list", "--name-only", "-z"]);
  const names = said.output.split("\0").flatMap((key) => /^submodule\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)];
}
