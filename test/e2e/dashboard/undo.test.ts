// The page of a run takes back file changes, and shows work that was not merged.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../../../src/cli/cli.fixture.ts";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve } from "./server.fixture.ts";

const browser = withBrowser();

test("[26.15] the undo button shows which file changes it reverts and which stay, and then reverts them; [26.8] unmerged work is shown", async () => {
  await using p = await project({
    "agents/lead.md": agent("lead", "agents: [coder]\ntools: [Write, Bash]\n"),
    "agents/coder.md": agent("coder", "kind: subagent\nworkspace: worktree\ntools: [Write]\n"),
    "lead.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: a.txt, content: "agent" } }, { tool: Bash, input: { command: "echo x > b.txt" } }] }
  - { when: { turn: 2 }, calls: [{ tool: delegate, input: { agent: coder, task: add } }] }
  - text: It is done.
`,
    "coder.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: add.js, content: "1" } }] }
  - { error: { status: 400, message: "no" } }
`,
    "a.txt": "mine",
    "b.txt": "mine too",
    ".gitignore": ".cadre\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: p.folder });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  await p.cadre("run", "--yes", "lead", "work");
  const id = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  writeFileSync(join(p.folder, "b.txt"), "a person's words");
  const server = await serve(p);
  const { page, problems } = await browser.enter(server.link);
  await page.goto(`${server.url}/r/${id}`);
  await page
    .getByText(/The work of coder is on the branch cadre\//)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Take back files" }).click();
  const dialog = page.getByRole("dialog", { name: "Take back the files of lead?" });
  await dialog.getByText("b.txt: changed since by somebody else, so it stays").waitFor();
  await dialog.getByText("Run: echo x > b.txt").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Take back 1 file" }).click();
  const result = page.getByRole("dialog", { name: "Taken back" });
  await result.getByText(/The replaced files are in .*undone/).waitFor();
  expect(readFileSync(join(p.folder, "a.txt"), "utf8")).toBe("mine");
  expect(readFileSync(join(p.folder, "b.txt"), "utf8")).toBe("a person's words");
  await result.getByRole("button", { name: "Close", exact: true }).last().click();
  expect(problems).toEqual([]);
});
