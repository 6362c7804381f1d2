// Tests hostile output, resized windows and Ctrl-C in a real pseudo-terminal.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { agent, project } from "../cli.fixture.ts";
import { inPty } from "../pty.fixture.ts";

const writer = (turns: string) =>
  project({ "agents/pen.md": agent("pen"), "pen.script.yaml": `turns:\n${turns}` });

/** Control sequences that write to the clipboard, print a link, clear the screen, move the cursor, set a colour or title, or query the terminal. */
const EVIL = [
  "\u001b]52;c;aGk=\u0007",
  "\u001b]8;;file:///etc/passwd\u0007ok\u001b]8;;\u0007",
  "\u001b[2J\u001b[7A",
  "\u009b31m",
  "\u001b]0;title\u0007\u001b[21t",
].join("");

/** Control sequences that clear or take over the screen. */
const CLEARS = ["\u001b[2J", "\u001b[3J", "\u001b[H", "\u001b[1;1H", "\u001bc", "\u001b[?1049h"];

test("[A64] [TV1] control sequences in a tool's output are shown as text; the question stays below the output in any window size", async () => {
  const evil = JSON.stringify(EVIL);
  await using p = await writer(
    `  - { when: { turn: 1 }, text: ${evil}, calls: [{ tool: Read, input: { path: evil.txt } }] }
  - { when: { turn: 2 }, calls: [{ tool: Write, input: { path: out.txt, content: ${evil} } }] }
  - report: { summary: ${evil} }
`,
  );
  await p.write("evil.txt", `${EVIL}\n`.repeat(40));
  using terminal = inPty(p, ["run", "write it down"]);
  await terminal.sees(/pen needs your approval[\s\S]*\[a\]pprove[\s\S]*pen · needs you · preset ask/);
  for (const [columns, rows] of [
    [50, 14],
    [100, 30],
  ] as const) {
    const before = terminal.raw().length;
    terminal.pty.resize(columns, rows);
    await vi.waitFor(() => expect(terminal.raw().slice(before)).toMatch(/pen · needs you/), 30_000);
  }
  terminal.pty.write("a");
  expect(await terminal.code).toBe(0);
  expect(await readFile(join(p.folder, "out.txt"), "utf8")).toBe(EVIL);
  const raw = terminal.raw();
  for (const order of [...CLEARS, "\u001b]", "\u001b[7A", "\u001b[21t", "\u009b", "\u0007"])
    expect(raw).not.toContain(order);
  // The word is wider than the window, but it is shown in full (A17).
  expect(raw).toMatch(/\+⟦U\+001B⟧\]52;c;aGk=⟦U\+0007⟧.*⟦U\+001B⟧\[21t/);
  expect(raw).toMatch(/look again: cadre show r\w+/);
  expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"));
});

test("[U49] with --plain Cadre prints plain lines without control sequences, and a person can still answer questions", async () => {
  await using p = await writer(
    `  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: out.txt, content: x } }] }
  - report: { summary: Written. }
`,
  );
  using terminal = inPty(p, ["run", "--plain", "write it down"]);
  await terminal.shows(/\[\?\] $/);
  // Presses the key repeatedly, because a key typed shortly after a question appears is ignored.
  const typing = setInterval(() => terminal.pty.write("a"), 200);
  try {
    expect(await terminal.code).toBe(0);
  } finally {
    clearInterval(typing);
  }
  expect(terminal.raw()).toContain("Written.");
  expect(terminal.raw()).not.toContain("\u001b");
});

test("after Ctrl-C, Cadre says that nothing is lost, prints the commands to continue, and restores the terminal", async () => {
  await using p = await writer("  - { delay: 600000, text: Never. }\n");
  using terminal = inPty(p, ["run", "wait for it"]);
  await terminal.sees(/pen · thinking · [1-9]\d* s · preset ask/);
  terminal.pty.write("\u0003");
  expect(await terminal.code).toBe(130);
  const said = terminal.screen();
  expect(said).toMatch(/Leaving: nothing is lost\. Steps in progress get a few seconds to finish/);
  expect(said).toMatch(/Run r\w+ is kept: `cadre run` continues it, `cadre cancel\s+r\w+` ends it\./);
  expect(said).not.toMatch(/thinking/);
  expect(terminal.raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(
    terminal.raw().lastIndexOf("\u001b[?25l"),
  );
});

test("`cadre tail` draws a tree that another process drives, and leaving `tail` does not affect the run", async () => {
  await using p = await writer("  - { delay: 600000, text: Never. }\n");
  const owner = p.start("run", "--json", "wait for it");
  const [, runId] = await owner.shows(/"runId":"(r\w+)".*"MODEL_CALL_STARTED"/);
  using terminal = inPty(p, ["tail", runId!]);
  await terminal.sees(/pen · thinking · \d+ s · preset ask/);
  terminal.pty.write("\u0003");
  expect(await terminal.code).toBe(130);
  expect(terminal.screen()).toMatch(/nothing is lost, and another process continues the run/);
  expect(terminal.screen()).toMatch(/Follow it again: cadre tail r\w+/);
  expect(owner.process.exitCode).toBeNull();
});
