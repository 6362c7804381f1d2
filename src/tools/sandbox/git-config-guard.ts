// Restores `.git/config` after an approved command, except if the command added only settings that git itself writes.
// A person who approves `git push -u x` accepts that git records the upstream.
// The person does not accept that another part of the command adds a setting that makes git start a program later.
// A command that calls `git config` or names the file is not guarded, because there the person can see that the file is changed.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LFS_COMMAND } from "../git/repository-settings.ts";
import { tryGit } from "../git/run-git.ts";
import { moveAside, plainWords, withoutTexts } from "./protected-paths.ts";

/** Settings that git itself writes for `remote add`, `push -u`, `init` and similar commands. None of them names a program. */
const KEPT_BY_GIT =
  /^(remote\..+\.(url|pushurl|fetch|push|tagopt|prune|mirror)|remote\.pushdefault|branch\..+\.(remote|merge|rebase|pushremote|description)|submodule\.(.+\.(url|active|branch|ignore|shallow)|active)|core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|sparsecheckout|sparsecheckoutcone)|index\.sparse|extensions\.(objectformat|refstorage|worktreeconfig)|user\.(name|email)|filter\.lfs\.required|lfs\.repositoryformatversion)$/s;

/** Matches `config` as a subcommand of git, but not inside a message or another name. */
const SETS_CONFIG = /(^|[\s;|&(])git(\s+-\S+|\s+(?<=(-C|-c)\s+)\S+)*\s+config(\s|$)/;

/** Call this before the command. Call the returned function after the command: it restores the file if necessary, and lists the removed settings. */
export async function guardGitConfig(
  config: string,
  command: string,
): Promise<(keptIn: string) => Promise<string[]>> {
  if (SETS_CONFIG.test(withoutTexts(command)) || plainWords(command).includes(".git/config"))
    return async () => [];
  const before = await readFile(config).catch(() => undefined);
  const known = new Set(await settingsOf(config));
  return async (keptIn) => {
    const strange = (await settingsOf(config)).filter((one) => !known.has(one) && !isKeptByGit(one));
    if (strange.length === 0) return [];
    await moveAside(config, join(keptIn, "config"));
    // `wx` fails if the command created a link at this path.
    if (before) await writeFile(config, before, { flag: "wx" });
    return strange.map((one) => one.split("\n", 1)[0]!);
  };
}

function isKeptByGit(setting: string): boolean {
  const [key = "", ...rest] = setting.split("\n");
  const value = rest.join("\n");
  if (/^filter\.lfs\.(clean|smudge|process)$/.test(key)) return LFS_COMMAND.test(value);
  // The address `ext::sh -c x` would start a program.
  return KEPT_BY_GIT.test(key) && !(/url$/.test(key) && /^\w+::/.test(value));
}

/** Each setting as git lists it: the key, a line break and the value. An unreadable file is reported as one unknown setting. */
async function settingsOf(config: string): Promise<string[]> {
  const at = { folder: dirname(config), args: [] };
  const said = await tryGit(at, ["config", "--file", config, "--no-includes", "--list", "-z"]);
  if (said.ok) return said.output.split("\0").filter((setting) => setting !== "");
  const isThere = await readFile(config).then(
    () => true,
    () => false,
  );
  return isThere ? ["a configuration that cannot be read"] : [];
}
