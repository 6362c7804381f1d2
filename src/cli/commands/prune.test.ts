import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const ANSWER = "turns:\n  - report: { summary: All is well. }\n";
const SLOW = "turns:\n  - { text: I take my time., delay: 600000 }\n";

const tidy = () =>
  project({
    "agents/tidy.md": agent("tidy"),
    "tidy.script.yaml": ANSWER,
    "agents/slow.md": agent("slow"),
    "slow.script.yaml": SLOW,
  });

const ids = async (p: Project) => (await p.cadre("runs", "--json")).lines().map(({ id }) => id as string);

test("`cadre prune` deletes nothing without --yes, and prints with --dry-run what it would delete; with --yes it deletes the trees that match its options", async () => {
  await using p = await tidy();
  await p.cadre("run", "tidy", "one");
  await p.cadre("run", "tidy", "two");
  const [two, one] = (await ids(p)) as [string, string];

  const look = await p.cadre("prune", "--dry-run");
  expect(look.stdout).toMatch(/^Would delete 2 trees \(2 runs, \d+ events, \d+ kB\)\.\n$/);
  const refused = await p.cadre("prune");
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("Nothing was deleted: add --yes if you mean it.");
  expect(await ids(p)).toEqual([two, one]);

  expect((await p.cadre("prune", "--older-than", "1h", "--yes")).stdout).toBe("Nothing to delete.\n");
  expect((await p.cadre("prune", "--status", "failed", "--yes")).stdout).toBe("Nothing to delete.\n");
  expect((await p.cadre("prune", "--workspace", "elsewhere", "--yes")).stdout).toBe("Nothing to delete.\n");

  const first = await p.cadre("prune", "--run", one, "--yes");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(/^Deleted 1 tree \(1 run, \d+ events, .*\)\. The file keeps its size/);
  expect(await ids(p)).toEqual([two]);
  expect((await p.cadre("verify", two)).stdout).toMatch(/^Whole: /);

  const rest = await p.cadre("prune", "--workspace", "--status", "completed,failed", "--json", "--yes");
  expect(rest.lines()).toEqual([
    { trees: 1, runs: 1, events: expect.any(Number), bytes: expect.any(Number), dryRun: false },
  ]);
  expect(await ids(p)).toEqual([]);
});

test("at a terminal `cadre prune` asks first, and deletes only after a yes", async () => {
  await using p = await tidy();
  await p.cadre("run", "tidy", "one");
  const no = p.terminal("prune");
  await no.shows(/Delete 1 tree .*, for good\? \[y\/N\]/);
  no.type("\n");
  expect(await no.code).toBe(4);
  expect(no.text()).toContain("Nothing was deleted.");
  expect(await ids(p)).toHaveLength(1);

  const yes = p.terminal("prune");
  await yes.shows(/\[y\/N\]/);
  expect(await ids(p), "the store is free meanwhile").toHaveLength(1);
  yes.type("y\n");
  expect(await yes.code).toBe(0);
  expect(await ids(p)).toEqual([]);
});

test("`cadre prune` refuses each nonsensical option with a one-sentence error", async () => {
  await using p = await tidy();
  const tryPrune = async (...args: string[]) => {
    const { code, stderr } = await p.cadre("prune", ...args);
    return [code, stderr];
  };
  expect(await tryPrune("--older-than", "30")).toEqual([2, expect.stringContaining("write 30d, 12h")]);
  expect(await tryPrune("--older-than", "long")).toEqual([2, expect.stringContaining("write 30d, 12h")]);
  expect(await tryPrune("--status", "running")).toEqual([2, expect.stringContaining("never deleted")]);
  expect(await tryPrune("--run", "r0nothing")).toEqual([
    2,
    expect.stringContaining("There is no run r0nothing"),
  ]);
});

test("`cadre prune` keeps a run that has not ended, and deletes nothing while another process owns the store", async () => {
  await using p = await tidy();
  const working = p.start("run", "slow", "one");
  await working.shows(/I take my time|slow/);
  const [id] = await ids(p);
  const owned = await p.cadre("prune", "--yes");
  expect(owned).toMatchObject({ code: 1 });
  expect(owned.stderr).toMatch(/Process \d+ owns the store and may be using it\. Nothing was deleted/);
  working.process.kill("SIGKILL");
  await working.end();
  expect((await p.cadre("prune", "--yes")).stdout).toBe("Nothing to delete.\n");
  const alive = await p.cadre("prune", "--run", id!, "--yes");
  expect(alive).toMatchObject({ code: 1 });
  expect(alive.stderr).toContain("has not ended, so it is kept");
});
