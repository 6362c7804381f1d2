// Sets up a temporary folder: the service as a git repository, its agents, and a bare remote that logs every push.

import { execFileSync } from "node:child_process";
import { cp, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Stage {
  /** The git repository, which is also the project in which Cadre works. */
  folder: string;
  remote: string;
  /** The checks clone the pushed branch into this folder. */
  judged: string;
}

const HERE = import.meta.dirname;
const PACK = join(HERE, "../../agents/factory");
/** Files that belong to the first commit of the repository. */
const PROJECT_FILES = ["cadre.yaml", "add-auth.script.yaml", "task.txt"];

export async function makeStage(): Promise<Stage> {
  const stage = stageIn(await realpath(await mkdtemp(join(tmpdir(), "cadre-add-auth-"))));
  const { folder } = stage;
  await cp(join(HERE, "service"), folder, { recursive: true });
  await cp(PACK, join(folder, "agents/factory"), { recursive: true });
  for (const file of PROJECT_FILES) await cp(join(HERE, file), join(folder, file));
  await writeFile(join(folder, ".gitignore"), ".cadre/\n");
  makeRepository(stage);
  return stage;
}

export const stageIn = (root: string): Stage => ({
  folder: join(root, "orders-api"),
  remote: join(root, "orders-api.git"),
  judged: join(root, "judged"),
});

function makeRepository({ folder, remote }: Stage): void {
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main", remote);
  git(remote, "config", "core.logAllRefUpdates", "true");
  git(folder, "init", "--quiet", "--initial-branch=main");
  for (const [key, value] of SETTINGS) git(folder, "config", key, value);
  git(folder, "remote", "add", "origin", remote);
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "Orders over HTTP");
  git(folder, "push", "--quiet", "-u", "origin", "main");
}

/** Git settings of the repository. They prevent the user's own name, signing key and hooks from changing the result. */
const SETTINGS = [
  ["user.name", "Cadre"],
  ["user.email", "cadre@example.com"],
  ["commit.gpgSign", "false"],
  ["core.hooksPath", ".git/hooks"],
] as const;

/** Returns the output of a git command, without the final line break. */
export function git(folder: string, ...args: string[]): string {
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio }).trimEnd();
}
