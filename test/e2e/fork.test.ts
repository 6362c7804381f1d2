// Tests `cadre fork` and `cadre compare` with a real shell. A fork does not repeat finished work.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../../src/cli/cli.fixture.ts";

const SCRIPT = `turns:
  - when: { lastUser: carefully }
    report: { summary: "Did nothing, carefully." }
  - when: { lastTool: Bash }
    report: { summary: "Deployed." }
  - calls: [{ tool: Bash, input: { command: "echo deployed >> log.txt" } }]
`;

test("[FK1] [FK2] [FK3] [FK7] `fork` repeats no finished call and accepts a new message; `compare` shows the first divergence", async () => {
  await using p = await project({
    "agents/ops.md": agent("ops"),
    "ops.script.yaml": SCRIPT,
  });
  const countDeploys = async () =>
    (await readFile(join(p.folder, "log.txt"), "utf8")).trim().split("\n").length;
  const run = await p.cadre("run", "--json", "--yes", "ops", "deploy");
  expect(run.code).toBe(0);
  const id = String(run.lines()[0]!["runId"]);
  const journal = await p.cadre("show", "--events", "--json", id);
  expect(await countDeploys()).toBe(1);

  const fork = await p.cadre("fork", `${id}#1`);
  expect(fork).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^ops · run \\w+ \\(fork of ${id}#1\\)$`, "m")),
  });
  expect(fork.stdout).toMatch(/Not done again: .*echo deployed/);
  expect(fork.stdout).toContain("Deployed.");
  expect(await countDeploys()).toBe(1);
  expect((await p.cadre("show", "--events", "--json", id)).stdout, "the origin is untouched").toBe(
    journal.stdout,
  );
  expect((await p.cadre("verify", id)).stdout).toMatch(/^Whole/);
  const [forked] = (await p.cadre("runs", "--json")).lines().filter((row) => row["trigger"] === "fork");
  expect(await p.cadre("replay", String(forked!["id"]))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The same: /),
  });

  const edited = await p.cadre("fork", "--json", `${id}#1`, "--message", "deploy carefully");
  expect(edited.lines().at(-1)).toMatchObject({ status: "completed", summary: "Did nothing, carefully." });
  const other = String(edited.lines()[0]!["runId"]);
  const difference = await p.cadre("compare", id, other);
  expect(difference).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/First divergence: ops \(A \w+#1, B \w+#1\)/),
  });
  expect(difference.stdout).toMatch(/▶ A deploy .*\n.*▶ B deploy carefully/);
  const [same] = (await p.cadre("runs", "--json"))
    .lines()
    .filter((row) => row["trigger"] === "fork")
    .slice(-1);
  expect((await p.cadre("compare", id, String(same!["id"]))).stdout).toContain("They do not differ.");

  const really = await p.cadre("fork", `${id}#1`, "--allow-effects", "--yes");
  expect(really.code).toBe(0);
  expect(await countDeploys()).toBe(2);
  for (const event of ["nine", "0"])
    expect(await p.cadre("fork", `${id}#${event}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not an event: events are numbered from 1\. Write RUN or RUN#SEQ/),
    });
  expect((await p.cadre("fork", id, "--model", "scripted/nothere")).stderr).toMatch(
    /choose another model\. Nothing was started\.\n$/,
  );
  expect(await p.cadre("fork", `${id}#999`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("has no event 999"),
  });
});

test("[FK7] `compare` shows the first line that differs, even far down in a long result", async () => {
  await using p = await project({
    "agents/ops.md": agent("ops"),
    "ops.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Read, input: { path: settings.json } }]\n  - text: Seen.\n",
  });
  const runs: string[] = [];
  for (const port of [80, 81]) {
    await p.write("settings.json", `{\n  "host": "a",\n  "port": ${port}\n}\n`);
    runs.push(String((await p.cadre("run", "--json", "look")).lines()[0]!["runId"]));
  }
  const { stdout } = await p.cadre("compare", ...runs);
  expect(stdout).toMatch(/▶ A .*: … .*"port": 80 .*\n.*▶ B .*: … .*"port": 81 /);
});

test("[FK4] a run whose agent file was deleted can still be forked and retried; the fork and the retry complete", async () => {
  await using p = await project({
    "agents/ops.md": agent("ops"),
    "ops.script.yaml": "turns:\n  - error: { status: 401, message: wrong key }\n",
  });
  const [, id] = /cadre retry (\w+)/.exec((await p.cadre("run", "ops", "deploy")).stdout)!;
  await p.write(
    "ops.script.yaml",
    SCRIPT.replace("calls: [{ tool: Bash", "text: Done.\n  - calls: [{ tool: Bash"),
  );
  await rm(join(p.folder, "agents/ops.md"));
  for (const args of [
    ["fork", `${id}#1`],
    ["retry", id!],
  ])
    expect(await p.cadre(...args, "--json"), args[0]).toMatchObject({ code: 0, stderr: "" });
  expect((await p.cadre("runs", "--json")).lines().map((row) => [row["trigger"], row["status"]])).toEqual([
    ["retry", "completed"],
    ["fork", "completed"],
    ["user", "failed"],
  ]);
});
