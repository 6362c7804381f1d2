// Simulates a forge for `gh pr create`. Like a real forge, it refuses a branch that was not pushed, and a second pull request for the same branch.
// It keeps its pull requests in the bare repository: `pulls.json`.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface PullRequest {
  number: number;
  url: string;
  base: string;
  head: string;
  /** The commit that the branch had on the remote. */
  sha: string;
  title: string;
  body: string;
}

export function readPulls(remote: string): PullRequest[] {
  const file = join(remote, "pulls.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

function createPull(args: string[]): string {
  const text = { type: "string" } as const;
  const options = { base: text, head: text, title: text, body: text };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { base = "main", head, title, body = "" } = values;
  if (positionals.join(" ") !== "pr create" || !head || !title)
    throw new Error("usage: gh pr create --head BRANCH --title TEXT [--base BRANCH] [--body TEXT]");
  const remote = git(".", "remote", "get-url", "origin");
  const sha = git(remote, "for-each-ref", "--format=%(objectname)", `refs/heads/${head}`);
  if (sha === "") throw new Error(`the branch ${head} was not pushed`);
  const pulls = readPulls(remote);
  const open = pulls.find((pull) => pull.head === head);
  if (open) throw new Error(`a pull request for ${head} already exists: ${open.url}`);
  const number = pulls.length + 1;
  const url = `https://forge.example/orders-api/pull/${number}`;
  writeFileSync(
    join(remote, "pulls.json"),
    JSON.stringify([...pulls, { number, url, base, head, sha, title, body }], null, 2),
  );
  return url;
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trimEnd();

if (import.meta.main) {
  try {
    console.log(createPull(process.argv.slice(2)));
  } catch (error) {
    console.error(`gh: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
