// Finds repository settings that make git run programs or read other folders, even in a read-only command.
// Examples are filters, text converters, signatures, and objects fetched on demand (A30).
// So even `git diff` can start a program that the repository's author chose. The user's own configuration is trusted.
// Git itself reads the settings, because a parser of Cadre's own would read some quotes, headers or continued lines differently.

import { existsSync, globSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readPlainFile } from "../../config/plain-file.ts";
import { LFS_COMMAND, namesProgram, type RepositorySetting } from "./repository-settings.ts";
import { readFileSettingsNow, readRepositorySettingsNow } from "./run-git.ts";

/** The first setting that runs programs, or a description of an unreadable file. Undefined if there is neither. */
export function gitProgramSetting(workspace: string): string | undefined {
  const { folder, isStray } = gitFolder(workspace) ?? {};
  if (folder === undefined) return undefined;
  if (isStray) return "a .git that leads to another repository";
  const common = resolve(folder, textAt(join(folder, "commondir"))?.trim() ?? ".");
  if (existsSync(join(common, "objects/info/alternates"))) return "objects of another repository";
  const own = readRepositorySettingsNow(workspace, folder);
  if (own === undefined) return UNREADABLE;
  const found = own.find((setting) => !isHarmless(setting, common, workspace));
  if (found) return nameOf(found.key);
  const modules = existsSync(join(common, "modules")) ? globSync("modules/**/config", { cwd: common }) : [];
  for (const file of modules.map((path) => join(common, path))) {
    const settings = readFileSettingsNow(file);
    if (settings === undefined) return UNREADABLE;
    const risky = settings.find((setting) => !isHarmless(setting, dirname(file), workspace));
    if (risky) return nameOf(risky.key);
  }
  return undefined;
}

export interface GitFilesToRun {
  /** Files and folders of the work tree that git runs or reads as configuration, as absolute paths. They might not exist. */
  named: string[];
  /** The paths of git's hooks, as absolute paths. Most of them do not exist. */
  hooks: string[];
  /** The configuration files that were read. */
  reads: string[];
  /** True if git could not read the settings. Then it is not known what they name. */
  isUnread?: boolean;
}

/** The files that a repository's settings name: its hooks, included configurations, filters, file monitors and other programs (A90). */
export function gitFilesToRun(workspace: string): GitFilesToRun {
  const folder = existsSync(workspace) ? gitFolder(workspace)?.folder : undefined;
  if (folder === undefined) return { named: [], hooks: [], reads: [] };
  const common = resolve(folder, textAt(join(folder, "commondir"))?.trim() ?? ".");
  const top = basename(folder) === ".git" ? dirname(folder) : workspace;
  const own = readRepositorySettingsNow(workspace, folder);
  const reads = [join(common, "config"), join(folder, "config.worktree"), join(folder, "HEAD")];
  if (own === undefined) return { named: [], hooks: [], reads, isUnread: true };
  const named: string[] = [];
  const hooks = [join(common, "hooks")];
  const bases = [top, common, workspace];
  for (const { key, value } of own) {
    const words = [value, ...value.split(/[\s"';|&<>()=!]+/)].filter((word) => /^[\w.@+/-]+$/.test(word));
    if (nameOf(key) === "core.hookspath") {
      hooks.push(resolve(top, value));
      // Hooks at the top of the work tree are single files. The work tree as a whole is not one of git's programs.
      named.push(
        ...(resolve(top, value) === top ? HOOKS.map((name) => join(top, name)) : [resolve(top, value)]),
      );
    } else if (/^include(if)?\./.test(key)) {
      const files = bases.map((base) => resolve(base, value));
      bases.push(...files.map((file) => dirname(file)));
      named.push(...files);
      reads.push(...files);
    } else if (namesProgram(key))
      named.push(
        ...words.flatMap((word) =>
          bases
            .map((base) => resolve(base, word))
            .filter((path) => path !== top && (word.includes("/") || existsSync(path))),
        ),
      );
  }
  const all = hooks.flatMap((at) => HOOKS.map((name) => join(at, name)));
  return { named, hooks: all, reads };
}

const HOOKS = (
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase " +
  "post-checkout post-merge pre-push post-rewrite reference-transaction push-to-checkout fsmonitor-watchman post-index-change"
).split(" ");

const UNREADABLE = "a configuration that cannot be read";

/**
 * The git folder that git would find from the workspace: `.git`, the target of a `.git` file, or a bare repository.
 * `isStray` is true if `.git` leads to a repository that does not name this folder as its work tree.
 */
function gitFolder(workspace: string): { folder: string; isStray: boolean } | undefined {
  for (let at = workspace; ; at = dirname(at)) {
    const named = join(at, ".git");
    const points = /^gitdir: (.+)$/m.exec(textAt(named) ?? "")?.[1];
    if (points !== undefined) {
      const folder = resolve(at, points);
      return { folder, isStray: !pointsBack(folder, at) };
    }
    if (existsSync(named))
      return { folder: named, isStray: realpathSync(named) !== join(realpathSync(at), ".git") };
    if (existsSync(join(at, "HEAD")) && existsSync(join(at, "objects")))
      return { folder: at, isStray: false };
    if (dirname(at) === at) return undefined;
  }
}

/** True if the git folder names this folder as its work tree, as the git folders of worktrees and submodules do. */
function pointsBack(folder: string, top: string): boolean {
  const tops = [top, realpathSync(top)];
  const record = textAt(join(folder, "gitdir"))?.trim();
  if (record !== undefined) return tops.some((one) => resolve(folder, record) === join(one, ".git"));
  const settings = readFileSettingsNow(join(folder, "config")) ?? [];
  return settings.some(({ key, value }) => key === "core.worktree" && tops.includes(resolve(folder, value)));
}

/** Settings that make a read-only command run a program, contact a server or leave the workspace. */
const RISKY_SETTING =
  /^(filter|include|includeif|gpg)\.|^core\.(fsmonitor|worktree)$|^diff\.(external|command|textconv)$|^log\.showsignature$|^extensions\.partialclone$|^remote\.promisor$/;

/** Section and key, without the subsection: `filter.clean` for `filter.x.clean`. */
const nameOf = (key: string): string => key.replace(/\..*\./s, ".").toLowerCase();

function isHarmless({ key, value }: RepositorySetting, folder: string, workspace: string): boolean {
  const name = nameOf(key);
  if (!RISKY_SETTING.test(name) || /^(false|no|off|0)$/i.test(value)) return true;
  if (name === "filter.required" || (name.startsWith("filter.") && LFS_COMMAND.test(value))) return true;
  if (value === "" && name !== "log.showsignature" && name !== "remote.promisor") return true;
  // The value `true` means git's built-in file monitor, which is turned off for agents' commands.
  if (name === "core.fsmonitor") return value === "true";
  // Every submodule sets `core.worktree`. The setting is harmless if it names the workspace, or a folder inside or around the workspace.
  if (name === "core.worktree") {
    const worktree = resolve(folder, value);
    return (
      workspace === worktree || workspace.startsWith(`${worktree}/`) || worktree.startsWith(`${workspace}/`)
    );
  }
  return false;
}

const MAX_SETTINGS = 10_000_000;

function textAt(path: string): string | undefined {
  try {
    return readPlainFile(path, MAX_SETTINGS);
  } catch {
    return undefined;
  }
}
