// A repository's own configuration can name programs, and git starts them also for commands that only read: to convert a
// file, to show a difference, to fetch what is missing. A command that nobody was asked about runs none of them (A30): each
// is overridden by name, because git has no switch for all. What a person has configured for every repository counts.

import { join } from "node:path";
import { type GitSetting, gitSettingVariables } from "../shell/clean-environment.ts";
import { inFolder, tryGit } from "./run-git.ts";

/** Variables for a command that was judged to only read, in place of those of the clean environment. */
export async function readOnlyGitEnvironment(folder: string): Promise<NodeJS.ProcessEnv> {
  const [own, submodules] = await Promise.all([ownSettings(folder), submodulesOf(folder)]);
  const named = own.flatMap(({ key }) => /^submodule\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return {
    ...gitSettingVariables([
      ...READING,
      ...own.flatMap(harmless),
      ...[...submodules, ...named].map((name): GitSetting => [`submodule.${name}.ignore`, "dirty"]),
    ]),
    // What is missing in a partial clone is not fetched: that starts what the remote names.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
  };
}

/** The programs that a repository has git start when files are added, checked out or merged, but for git-lfs. */
export async function repositoryPrograms(folder: string): Promise<string[]> {
  const starts = /^(filter\..+\.(clean|smudge|process)|merge\..+\.driver)$/s;
  const own = await ownSettings(folder);
  return own.filter(({ key, value }) => starts.test(key) && !LFS_COMMAND.test(value)).map(({ key }) => key);
}

/** Into a submodule git goes with that one's configuration, which we have not read: it stays outside. */
const READING: readonly GitSetting[] = [
  // Or a difference writes the index anew, and a hook hears of it.
  ["diff.autoRefreshIndex", "false"],
  ["safe.bareRepository", "explicit"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  ["log.showSignature", "false"],
];

/** A filter that everybody knows and a person has installed. */
export const LFS_COMMAND = /^git-lfs (clean|smudge|filter-process)( --skip)?( -- %f)?( %f)?$/;

/** git's own difference of the two files that a program for it is given; the rest of what git adds is a comment. */
const PLAIN_DIFF = `git --no-pager diff --no-index --no-ext-diff --no-textconv -- "$2" "$5" || : #`;

interface OwnSetting {
  key: string;
  value: string;
}

function harmless({ key, value }: OwnSetting): GitSetting[] {
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

/** Those of the repository and of what it includes, not those of the person or the system. */
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
