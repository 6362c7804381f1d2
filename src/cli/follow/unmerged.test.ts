// Tests that unmerged work is never reported as done.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

test("[26.8] a run whose work was not merged ends with exit code 3, and names the branch", async () => {
  await using p = await project({
    "agents/lead.md": agent("lead", "agents: [coder]\ntools: []\n"),
    "agents/coder.md": agent("coder", "kind: subagent\nworkspace: worktree\ntools: [Write]\n"),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: delegate, input: { agent: coder, task: add } }] }
  - text: It is done.
`,
    "coder.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: add.js, content: "1" } }] }
  - { error: { status: 400, message: "no" } }
`,
    ".gitignore": ".cadre\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: p.folder });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  const done = await p.cadre("run", "--yes", "lead", "work");
  expect(done.code).toBe(3);
  expect(done.stdout).toMatch(
    /warning: The work of coder is NOT in the files here\. It is on the branch cadre\/\w+/,
  );
  const [log, end] = done.stdout.split("Completed");
  expect(log).toMatch(/NOT merged: the work of coder is on the branch cadre\/\w+/);
  expect(log, "no raw result of the merge").not.toContain('{"status"');
  expect(end).not.toContain("created add.js");
  const printed = await p.cadre("run", "-p", "--yes", "lead", "work");
  expect(printed).toMatchObject({
    code: 3,
    stdout: "It is done.\n",
    stderr: expect.stringMatching(/Not merged: the work of coder is on the branch cadre\/\w+\.\n$/),
  });
});
