// Tests `cadre outcome`, with which a person decides whether an interrupted call took effect. The tests kill a process during a call.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

/** Creates a project whose only run was killed while its agent executed `command`. */
async function killDuring(command: string, until: (p: Project) => Promise<void>): Promise<Project> {
  const p = await project({
    "agents/pen.md": agent("pen"),
    "pen.script.yaml": `turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Bash, input: { command: "${command}" } }]\n  - text: Went on.\n`,
  });
  const killed = p.start("run", "--yes", "--json", "go");
  await killed.shows(/TOOL_STARTED/);
  await until(p);
  killed.process.kill("SIGKILL");
  await killed.end();
  expect((await p.cadre("run")).code).toBe(3);
  return p;
}

const shows = (name: string) => (p: Project) =>
  expect.poll(() => readdir(p.folder), { timeout: 20_000 }).toContain(name) as Promise<void>;

/** Waits for the note about the call, because a command starts only after its note is on disk. */
const hasBegun = (p: Project) =>
  expect
    .poll(() => readdir(join(p.folder, ".cadre", "calls")).catch(() => []), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/\.json$/)) as Promise<void>;

test("[PB1] [P4] [F03] `cadre outcome` lists calls with an unknown outcome, prints the probe's evidence, and lets the person decide", async () => {
  await using p = await killDuring("mkdir out && sleep 600", shows("out"));
  const listed = await p.cadre("outcome");
  const [, runId = ""] = /cadre outcome (\w+) m1\.0 {3}# probes/.exec(listed.stdout) ?? [];
  expect(listed.stdout).toContain("pen does not know whether this was done");
  expect(await p.cadre("outcome", "r0")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no run r0"),
  });

  const looked = await p.cadre("outcome", runId, "m1.0");
  expect(looked.code).toBe(0);
  expect(looked.stdout).toMatch(
    /^the probe suggests: it was done\n {2}The folder out is there, made .*Z, after the call began\.\nNothing was decided. To decide: cadre outcome \w+ m1\.0 happened\|run_again\|fail/,
  );
  expect((await p.cadre("outcome")).stdout).toContain(
    "the probe suggests: it was done\n  The folder out is there",
  );
  expect((await p.cadre("outcome", runId, "--json")).lines()).toMatchObject([
    { kind: "outcome", probe: { found: "done", evidence: [expect.stringContaining("The folder out")] } },
  ]);
  expect((await p.cadre("why", runId)).stdout).toContain(`cadre outcome ${runId} m1.0 happened`);
  expect((await p.cadre("outcome", runId, "m1.0", "--note", "x")).stderr).toMatch(/^cadre: Give a verdict/);

  expect((await p.cadre("outcome", runId, "m1.0", "happened")).stdout).toMatch(/^Recorded/);
  const events = (await p.cadre("show", runId, "--events", "--json")).lines() as {
    type: string;
    seq: number;
  }[];
  const at = (type: string) => events.find((event) => event.type === type)?.seq ?? 0;
  expect(at("OUTCOME_PROBED")).toBeGreaterThan(at("RUN_SUSPENDED"));
  const because = await p.cadre("why", `${runId}#${at("OUTCOME_DECIDED")}`);
  expect(because.stdout).toMatch(/checked whether it happened: it was done: .*mkdir out/);
});

test("[PB1] [PB2] [F02] a key at the prompt starts the probe; a probe that a rule denies does not run", async () => {
  await using p = await killDuring("sleep 600 && rm secret", hasBegun);
  await p.write("cadre.yaml", "permissions:\n  deny: [Read(secret)]\n");
  const terminal = p.terminal("run");
  await terminal.press("l", /the probe suggests: can't tell\s+The rules do not let secret be read\./);
  await terminal.press("f", /Went on\./);
  expect(await terminal.code).toBe(0);
});

/** Creates a project whose process was killed while two children of one tree executed a command. */
async function killDuringTwo(): Promise<Project> {
  const p = await project({
    "agents/boss.md": agent("boss", "agents: [pen]\ndelegation: { mode: parallel }\n"),
    "agents/pen.md": agent("pen"),
    "boss.script.yaml":
      "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: delegate, input: { agent: pen, task: one } }, { tool: delegate, input: { agent: pen, task: two } }]\n  - text: Well.\n",
    "pen.script.yaml":
      'turns:\n  - when: { turn: 1 }\n    calls: [{ tool: Bash, input: { command: "mktemp began-XXXXXX && sleep 600" } }]\n  - text: Went on.\n',
  });
  const killed = p.start("run", "boss", "--yes", "--json", "go");
  const begun = async () => (await readdir(p.folder)).filter((name) => name.startsWith("began-")).length;
  await expect.poll(begun, { timeout: 20_000 }).toBe(2);
  killed.process.kill("SIGKILL");
  await killed.end();
  expect((await p.cadre("run")).code).toBe(3);

  return p;
}

test("[36.10] [P4] after a crash that interrupted two calls of a tree, `cadre outcome RUN all VERDICT` decides both", async () => {
  await using p = await killDuringTwo();
  const listed = (await p.cadre("outcome")).stdout;
  const [, root = ""] =
    /2 calls of one tree have .*\n {2}cadre outcome (\w+) all happened\|run_again\|fail --note/.exec(
      listed,
    ) ?? [];
  expect((await p.cadre("outcome", root, "all")).code).toBe(2);
  const said = await p.cadre("outcome", root, "all", "fail", "--note", "Look first.", "--no-continue");
  expect(said.stdout).toMatch(/^Recorded for 2 calls/);
  expect((await p.cadre("outcome")).stdout).toBe("No call here has an unknown outcome.\n");
  expect(await p.cadre("outcome", root, "all", "fail")).toMatchObject({ code: 1 });
});

test("[36.10] [P4] the terminal shows the other interrupted call of the tree, and offers to give it the same answer", async () => {
  await using p = await killDuringTwo();
  const terminal = p.terminal("run");
  await terminal.press(
    "f",
    /boss › pen: Run: mktemp .*The same answer for this call of the tree\? \[y\/N\]/s,
  );
  await terminal.press("y\r", /Well\./);
  expect(await terminal.code).toBe(0);
});
