// Tests that a decision lets the run continue without another command.

import { access, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

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
