// A real git repository in a temporary folder, for the tests of worktrees. The machine's git configuration is ignored.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";

const run = promisify(execFile);

export interface TempGit extends AsyncDisposable {
  path: string;
  /** Runs git as a person would, in the repository or in another folder. */
  git(args: readonly string[], folder?: string): Promise<string>;
  write(files: Record<string, string>, folder?: string): Promise<void>;
  /** The text of a file. Undefined if the file does not exist. */
  read(file: string, folder?: string): Promise<string | undefined>;
  /** Writes the files and commits everything. */
  commit(files?: Record<string, string>, folder?: string): Promise<void>;
}

export async function tempGit(files: Record<string, string> = { "a.txt": "a\n" }): Promise<TempGit> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "cadre git-")));
  const env = {
    PATH: process.env["PATH"],
    HOME: path,
    LC_ALL: "C",
    ...{ GIT_AUTHOR_NAME: "P", GIT_AUTHOR_EMAIL: "p@x", GIT_COMMITTER_NAME: "P", GIT_COMMITTER_EMAIL: "p@x" },
  };
  const person: TempGit = {
    path,
    async git(args, folder = path) {
      const { stdout } = await run("git", ["-c", "gc.auto=0", ...args], { cwd: folder, env });
      return stdout.replace(/\n$/, "");
    },
    async write(written, folder = path) {
      for (const [name, text] of Object.entries(written)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
    },
    read: (file, folder = path) => readFile(join(folder, file), "utf8").catch(() => undefined),
    async commit(written = {}, folder = path) {
      await person.write(written, folder);
      await person.git(["add", "-A"], folder);
      await person.git(["commit", "-q", "--allow-empty", "-m", "a person's"], folder);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
  await person.git(["init", "-q", "-b", "main", "--template="]);
  await person.commit(files);
  return person;
}

/** Gives the tests of a file an empty home folder, so that the machine's git configuration does not affect them. */
export function setUpEmptyHome(): { path: string } {
  const home = { path: "" };
  const before = process.env["HOME"];
  beforeAll(async () => {
    home.path = await mkdtemp(join(tmpdir(), "cadre-home-"));
    process.env["HOME"] = home.path;
  });
  afterAll(async () => {
    process.env["HOME"] = before;
    await rm(home.path, { recursive: true, force: true });
  });
  return home;
}
