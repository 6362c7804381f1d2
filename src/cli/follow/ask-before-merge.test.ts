// Tests the question before work of a worktree reaches the project's folder, as people meet it on the command line.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

async function coderProject() {
  const p = await project({
    "agents/coder.md": agent("coder", "workspace: worktree\ntools: [Write]\n"),
    "coder.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: add.js, content: "1\\n" } }] }
  - text: It is done.
`,
    "cadre.yaml": "permissions: { allow: [Write] }\n",
    ".gitignore": ".cadre\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      cwd: p.folder,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  await p.cadre("trust");
  return { p, git };
}

test("[26.8] the card of a merge shows the diff and no edit command; `cadre approve` merges the work", async () => {
  const { p, git } = await coderProject();
  await using _ = p;
  const waits = await p.cadre("run", "coder", "add a file");
  expect(waits).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/needs approval: Merge cadre\/\w+ \(1 file\)/),
  });
  const cards = await p.cadre("approve");
  expect(cards.stdout).toContain("+1");
  expect(cards.stdout).not.toContain("--edit");
  const id = /cadre approve (\S+:merge\/\w+)/.exec(waits.stdout)![1]!;
  expect(existsSync(join(p.folder, "add.js"))).toBe(false);
  expect(await p.cadre("approve", id, "--edit", "{}")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("A merge cannot be edited: approve it or reject it."),
  });
  expect(await p.cadre("approve", id, "--scope", "always")).toMatchObject({
    stderr: expect.stringContaining("This decision can only be given once"),
  });
  expect(await p.cadre("approve", id, "--no-continue")).toMatchObject({ code: 0 });
  expect(await p.cadre("run")).toMatchObject({ code: 0 });
  expect(existsSync(join(p.folder, "add.js"))).toBe(true);
  expect(git("log", "-1", "--format=%s")).toContain("Merge cadre/");
  const shown = await p.cadre("show", id.split(":")[0]!);
  expect(shown.stdout).toMatch(/Asks to merge cadre\/\w+ \(1 file\)/);
  expect(shown.stdout).toMatch(/Approved by .*: Merge cadre\/\w+ \(1 file\)/);
  expect(shown.stdout).toMatch(/Merged the work of this run: add\.js/);
});

test("[26.8] at a terminal, the card of a merge offers a yes and a no, and no edit", async () => {
  const { p } = await coderProject();
  await using _ = p;
  await p.cadre("run", "coder", "add a file");
  const terminal = p.terminal("approve", "--no-continue");
  await terminal.sees(/\+1[\s\S]*\[a\]pprove {2}\[r\]eject {2}\[s\]kip/);
  await terminal.press("a", /The answers are recorded/);
  expect(await terminal.code).toBe(0);
  expect(await p.cadre("run")).toMatchObject({ code: 0 });
  expect(existsSync(join(p.folder, "add.js"))).toBe(true);
});

test("[26.8] `cadre run --yes` merges without a question, and says which files changed", async () => {
  const { p, git } = await coderProject();
  await using _ = p;
  const done = await p.cadre("run", "--yes", "coder", "add a file");
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("add.js") });
  expect(existsSync(join(p.folder, "add.js"))).toBe(true);
  expect(git("status", "--porcelain")).toBe("");
});
