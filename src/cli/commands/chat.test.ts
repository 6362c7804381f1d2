// Tests conversations at a terminal, and without one, where each line is a message.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";
import { inPty } from "../pty.fixture.ts";

const SLOW = 1_500;

const crew = () =>
  project({
    "agents/lead.md": agent("lead", "tools: [Read, Write]\n"),
    "lead.script.yaml": `turns:
  - { when: { lastUser: first }, text: The first answer. }
  - { when: { lastUser: second }, text: "The second answer; the task was \${task}." }
  - { when: { lastUser: write, lastTool: Write }, text: "It is written." }
  - { when: { lastUser: write }, calls: [{ tool: Write, input: { path: out.txt, content: hello } }] }
  - { when: { lastUser: slow, turn: 1 }, delay: ${SLOW}, calls: [{ tool: Read, input: { path: note.txt } }] }
  - text: "Heard: \${lastUser}"
`,
    "note.txt": "a note\n",
  });

const listed = async (p: Project) => (await p.cadre("runs", "--json")).lines();

test("[26.1] at a terminal, `cadre` without a command starts a conversation, and the second message continues it", async () => {
  await using p = await crew();
  const terminal = p.terminal();
  await terminal.sees(/Enter sends/);
  terminal.type("the first\r");
  await terminal.sees(/› the first[\s\S]*The first answer\.[\s\S]*Enter sends/);
  terminal.type("the second\r");
  await terminal.sees(/The second answer[\s\S]*Enter sends/);
  expect(terminal.text().match(/model scripted\/lead/g), "a model is named once").toHaveLength(1);
  terminal.type("/cost\r");
  await terminal.sees(/2 runs · [\d,]+ tokens/);
  terminal.type("/exit\r");
  expect(await terminal.code).toBe(0);
  const [second, first] = await listed(p);
  expect(second!["sessionId"]).toBe(first!["sessionId"]);
  expect(terminal.screen()).toContain("Return to this conversation: cadre chat --continue");
});

test("[26.1] a key answers an approval, and the user can type a message while the approval is open", async () => {
  await using p = await crew();
  const terminal = p.terminal("chat", "lead");
  await terminal.sees(/Enter sends/);
  terminal.type("write it\r");
  await terminal.sees(/\+hello[\s\S]*\[a\]pprove[\s\S]*a key answers the question above/);
  terminal.type("\t");
  await terminal.sees(/Tab answers the question/);
  terminal.type("a plan\r");
  await terminal.sees(/queued: a plan/);
  expect(await readdir(p.folder)).not.toContain("out.txt");
  await terminal.sees(/a key answers the question above/);
  await terminal.press("a", /Heard: a plan/);
  expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe("hello");
  terminal.type("\u0015/exit\r");
  expect(await terminal.code).toBe(0);
});

test("[26.1] while a run works, Enter queues a message, and Ctrl-S sends it to the run", async () => {
  await using p = await crew();
  const terminal = p.terminal("chat");
  await terminal.sees(/Enter sends/);
  terminal.type("slow one\r");
  await terminal.sees(/thinking/);
  terminal.type("the second\r");
  await terminal.sees(/queued: the second/);
  terminal.type("steer it");
  terminal.type("\u0013");
  await terminal.sees(/Heard: steer it[\s\S]*› the second[\s\S]*The second answer/);
  terminal.type("\u0004");
  expect(await terminal.code).toBe(0);
  expect(await listed(p)).toHaveLength(2);
});

test("[26.1] Esc pauses the run before its next step; a message resumes the run, and a second Esc cancels it", async () => {
  await using p = await crew();
  const terminal = p.terminal("chat");
  await terminal.sees(/Enter sends/);
  terminal.type("slow one\r");
  await terminal.sees(/thinking/);
  terminal.type("\u001b");
  await terminal.sees(/paused · Enter goes on/);
  terminal.type("do this instead\r");
  await terminal.sees(/Heard: do this instead[\s\S]*Enter sends/);
  terminal.type("slow again\r");
  await terminal.sees(/slow again[\s\S]*thinking/);
  terminal.type("\u001b");
  await terminal.sees(/slow again[\s\S]*paused · Enter goes on/);
  terminal.type("\u001b");
  await terminal.sees(/Cancelled[\s\S]*Enter sends/);
  terminal.type("\u0003");
  expect(await terminal.code).toBe(0);
});

test("[26.1] the input history and the conversation are there again in a new process", async () => {
  await using p = await crew();
  const before = p.terminal("chat");
  await before.sees(/Enter sends/);
  before.type("the first\r");
  await before.sees(/The first answer[\s\S]*Enter sends/);
  before.type("\u0003");
  expect(await before.code).toBe(0);
  const after = p.terminal("chat", "--continue");
  await after.sees(/Back in the conversation with lead[\s\S]*› the first\s+The first answer/);
  after.type("\u001b[A");
  await after.sees(/› the first\s+Enter sends/);
  after.type("\u0015the second\r");
  await after.sees(/The second answer/);
  after.type("/fork 1\r");
  await after.sees(/from event 1 of run/);
  after.type("/exit\r");
  expect(await after.code).toBe(0);
  expect(new Set((await listed(p)).map(({ sessionId }) => sessionId)).size).toBe(1);
});

test("[26.1] [P1] if Cadre is killed in the middle of a conversation, the run continues when the user returns to it", async () => {
  await using p = await crew();
  using killed = inPty(p, ["chat", "lead"]);
  await killed.sees(/Enter sends/);
  killed.pty.write("slow one\r");
  await killed.sees(/thinking/);
  killed.pty.kill("SIGKILL");
  await killed.code;
  const after = p.terminal("chat", "--continue");
  await after.sees(/› slow one[\s\S]*Heard: slow one[\s\S]*Enter sends/);
  after.type("/exit\r");
  expect(await after.code).toBe(0);
  expect(await listed(p)).toHaveLength(1);
});

test("[26.1] without a terminal, each line of stdin is a message, and an open approval ends the conversation with exit code 3", async () => {
  await using p = await crew();
  const { code, stdout } = await p.piped("the first\nwrite it\nthe second\n", "chat", "lead");
  expect(code).toBe(3);
  expect(stdout).toMatch(/› the first[\s\S]*The first answer\.[\s\S]*cadre approve r\w+:m1\.0/);
  expect(stdout).not.toContain("\u001b");
  expect(stdout).not.toContain("The second answer");
  expect((await p.cadre()).stdout + (await p.cadre()).stderr, "`cadre` alone prints help").toContain(
    "Usage:",
  );
});

test("[26.1] unknown commands and options that do not work together are refused before anything starts", async () => {
  await using p = await crew();
  const { stdout } = await p.piped("/nothing here\n/agent nobody\n/resume 7\n/help\n", "chat");
  expect(stdout).toContain("There is no command /nothing. /help lists them. Nothing was sent.");
  expect(stdout).toMatch(/nobody/);
  expect(stdout).toContain("There is no conversation 7.");
  expect(stdout).toContain("/resume [NUMBER|RUN]");
  expect((await p.cadre("chat", "--json")).code).toBe(2);
  expect((await p.cadre("chat", "lead", "--continue")).code).toBe(2);
  expect(await listed(p)).toEqual([]);
});
