// Tests that a decision lets the run continue without another command.

import { access, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";
import { inPty } from "../pty.fixture.ts";

const writer = () =>
  project({
    "agents/writer.md": agent("writer", "tools: [Write]\n"),
    "writer.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: Write, input: { path: a.txt, content: hello } }] }
  - report: { summary: Written. }
`,
  });

test("an approval continues the run in the background, and the command says so", async () => {
  await using p = await writer();
  const asked = await p.cadre("run", "writer", "write");
  expect(asked).toMatchObject({ code: 3 });
  expect(asked.stdout).toContain("It continues in the background when you have answered");
  const [item] = (await p.cadre("approve", "--json")).lines();
  const approved = await p.spawn("approve", String(item!["id"]));
  expect(approved.stdout).toMatch(
    /^Approved; the run continues in the background, and `.*cadre runs` shows its state\.$/m,
  );
  const statusOf = async () => (await p.cadre("runs", "--all", "--json")).lines().map(({ status }) => status);
  await expect.poll(statusOf, { timeout: 60_000, interval: 500 }).toEqual(["completed"]);
  expect(await readFile(`${p.folder}/a.txt`, "utf8")).toBe("hello");
}, 120_000);

test("with --no-continue an approval is recorded, and the run waits for the next `cadre run`", async () => {
  await using p = await writer();
  await p.cadre("run", "writer", "write");
  const [item] = (await p.cadre("approve", "--json")).lines();
  const approved = await p.spawn("approve", String(item!["id"]), "--no-continue");
  expect(approved.stdout).toMatch(
    /^Approved; no Cadre process is running here: the run continues at the next `.*cadre run`\.$/m,
  );
  await expect(access(`${p.folder}/a.txt`)).rejects.toThrow("ENOENT");
  expect(await p.cadre("run")).toMatchObject({ code: 0 });
});

test("[26.4] at a terminal `cadre approve` shows each open item as a card, and keys answer them", async () => {
  await using p = await writer();
  await p.cadre("run", "writer", "first");
  await p.cadre("run", "writer", "second");
  const terminal = p.terminal("approve", "--no-continue");
  await terminal.sees(/works on: (first|second)[\s\S]*\+hello[\s\S]*1 more is waiting {2}\[a\]pprove/);
  await terminal.press("s", /works on: [\s\S]*works on: /);
  await terminal.press("a", /1 left open: cadre approve[\s\S]*The answers are recorded/);
  expect(await terminal.code).toBe(0);
  expect((await p.cadre("approve", "--json")).lines()).toHaveLength(1);
  expect((await p.cadre("approve")).stdout, "without a terminal it is a list").toMatch(
    /cadre approve r\w+:m1\.0/,
  );
});

test("[26.4] after an answer by key, the run continues in the background", async () => {
  await using p = await writer();
  await p.cadre("run", "writer", "write");
  using terminal = inPty(p, ["approve"]);
  await terminal.sees(/\[a\]pprove/);
  const typing = setInterval(() => terminal.pty.write("a"), 300);
  await terminal.sees(/The runs continue in the background/).finally(() => clearInterval(typing));
  expect(await terminal.code).toBe(0);
  const statusOf = async () => (await p.cadre("runs", "--all", "--json")).lines().map(({ status }) => status);
  await expect.poll(statusOf, { timeout: 60_000, interval: 500 }).toEqual(["completed"]);
}, 120_000);

test("[26.4] a stale diff is reported when it is shown, and when the file changes while the card is open", async () => {
  await using p = await writer();
  await p.cadre("run", "writer", "write");
  const stale = /The file has changed since this diff was made/;
  expect((await p.cadre("approve")).stdout).not.toMatch(stale);
  const terminal = p.terminal("approve", "--no-continue");
  await terminal.sees(/\[a\]pprove/);
  await p.write("a.txt", "by hand\n");
  await terminal.press("a", stale);
  await terminal.sees(/It would now be:\s+--- a\.txt[\s\S]*-by hand/);
  await terminal.press("s", /1 left open/);
  expect((await p.cadre("approve")).stdout).toMatch(stale);
  expect((await p.cadre("approve", "--json")).lines()).toMatchObject([{ stale: true }]);
  const [item] = (await p.cadre("approve", "--json")).lines();
  expect((await p.cadre("approve", String(item!["id"]))).stdout).toMatch(
    /Approved, but the file has changed: you will be asked again; /,
  );
  await p.cadre("run");
  expect(await readFile(`${p.folder}/a.txt`, "utf8"), "a stale approval writes nothing").toBe("by hand\n");
  expect((await p.cadre("approve")).stdout).toMatch(/needs your approval again/);
});
