// A person who approves `git push -u x` means that git may note that in `.git/config`. Nobody means by it that another part of the command
// has git start a program from then on: settings beyond those that git keeps by itself are put back, unless the command says `config`.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LFS_COMMAND } from "../git/repository-programs.ts";
import { tryGit } from "../git/run-git.ts";
import { moveAside } from "./protected-paths.ts";

/** What git writes down for `remote add`, `push -u`, `switch -c`, `init`, `submodule add` and their like. None names a program. */
const KEPT_BY_GIT =
  /^(remote\..+\.(url|pushurl|fetch|push|tagopt|prune|mirror)|remote\.pushdefault|branch\..+\.(remote|merge|rebase|pushremote|description)|submodule\.(.+\.(url|active|branch|ignore|shallow)|active)|core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|sparsecheckout|sparsecheckoutcone)|index\.sparse|extensions\.(objectformat|refstorage|worktreeconfig)|user\.(name|email)|filter\.lfs\.required|lfs\.repositoryformatversion)$/s;

/** Asked before the command; the answer is asked after it, and says which settings were put back. */
export async function guardGitConfig(
  config: string,
  command: string,
): Promise<(keptIn: string) => Promise<string[]>> {
  if (/\bconfig\b/.test(command)) return async () => [];
  const before = await readFile(config).catch(() => undefined);
  const known = new Set(await settingsOf(config));
  return async (keptIn) => {
    const strange = (await settingsOf(config)).filter((one) => !known.has(one) && !isKeptByGit(one));
    if (strange.length === 0) return [];
    await moveAside(config, join(keptIn, "config"));
    // Not through a link that the command may have put there.
    if (before) await writeFile(config, before, { flag: "wx" });
    return strange.map((one) => one.split("\n", 1)[0]!);
  };
}

function isKeptByGit(setting: string): boolean {
  const [key = "", ...rest] = setting.split("\n");
  const value = rest.join("\n");
  if (/^filter\.lfs\.(clean|smudge|process)$/.test(key)) return LFS_COMMAND.test(value);
  // `ext::sh -c x` is no address but a program.
  return KEPT_BY_GIT.test(key) && !(/url$/.test(key) && /^\w+::/.test(value));
}

/** Each as git lists it: the key, a line break and the value. One that cannot be read is a setting that nobody knows. */
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
