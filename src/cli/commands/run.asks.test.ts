// Tests that Cadre asks at a terminal before a run that may be a mistake, and that typed text never reaches the shell.

import { spawn } from "@lydell/node-pty";
import { expect, test, vi } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const talker = (delay = 0) =>
  project({
    "agents/talker.md": agent("talker", "tools: [AskUser]\n"),
    "talker.script.yaml": `turns:
  - when: { turn: 1, task: paint }
    calls: [{ tool: AskUser, input: { question: Which colour?, choices: [red, blue] } }]
  - { delay: ${delay}, text: Done. }
`,
  });

test("[26.11] at a terminal, Cadre asks before it retries a completed run, or forks a run without a change", async () => {
  await using p = await talker();
  await p.cadre("run", "talker", "say");
  const id = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  for (const [command, question] of [
    ["retry", `Run ${id} has completed. Continue it with a new run? [y/N] `],
    ["fork", `Nothing is changed in the fork of ${id}. Run it all the same? [y/N] `],
  ] as const) {
    const no = p.terminal(command, id);
    await no.shows(/\[y\/N\] /);
    expect(no.text()).toContain(question);
    no.type("\r");
    expect(await no.code).toBe(4);
  }
  expect((await p.cadre("runs", "--json")).lines()).toHaveLength(1);
  const changed = p.terminal("fork", id, "--message", "say more");
  expect(await changed.code).toBe(0);
  expect((await p.cadre("retry", id)).code, "a program is not asked").toBe(0);
});

test("[26] without a terminal, the output shows an open question with its choices", async () => {
  await using p = await talker();
  const { code, stdout } = await p.cadre("run", "talker", "paint");
  expect(code).toBe(3);
  expect(stdout).toMatch(/Which colour\?\n {2}answers: red, blue\n {2}cadre approve/);
});

test("[26.2] text that is typed while a run works is reported as unread, and never reaches the shell", async () => {
  await using p = await talker(1_500);
  const { NO_COLOR: _, ...env } = p.env;
  const script = `"$0" "$1" run talker say; read -t 1 line; echo "the shell got [$line]"`;
  const pty = spawn("bash", ["-c", script, process.execPath, p.launcher], {
    cwd: p.folder,
    env: { ...env, TERM: "xterm-256color" },
    cols: 80,
    rows: 24,
  });
  let seen = "";
  pty.onData((text) => {
    seen += text;
  });
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  await vi.waitFor(() => expect(seen).toContain("talker · thinking"), 30_000);
  pty.write("rm -rf everything\rhalf");
  await ended;
  expect(seen).toContain("the shell got []");
  expect(seen.replaceAll(/\s+/g, " ")).toContain('"rm -rf everything half" was typed, and nobody read it');
});
