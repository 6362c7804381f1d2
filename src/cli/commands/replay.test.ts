import { expect, test } from "vitest";
import type { AgentReplayView } from "../../api/client/types.ts";
import { agent, project } from "../cli.fixture.ts";

const SCRIPT = `turns:
  - when: { turn: 1 }
    calls: [{ tool: Read, input: { path: note.txt } }]
  - report: { summary: All is well. }
`;
const FILES = { "agents/tidy.md": agent("tidy"), "tidy.script.yaml": SCRIPT, "note.txt": "hello\n" };

test("[L2] `cadre replay` finds no difference under the same rules; after a rule changes, it reports the event that would differ", async () => {
  await using p = await project(FILES);
  await p.cadre("run", "tidy", "look");
  const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  const same = await p.cadre("replay", runId);
  expect(same).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The same: \d+ decisions of 1 run, made again\n$/),
  });

  await p.write("cadre.yaml", "permissions: { deny: [Read] }\n");
  const other = await p.cadre("replay", runId);
  expect(other.code).toBe(1);
  const events = (await p.cadre("show", runId, "--events", "--json")).lines();
  const proposed = events.find(({ type }) => type === "TOOL_PROPOSED");
  expect(other.stdout).toContain(`Diverges at event ${String(proposed!["seq"])} of ${runId} (tidy)`);
  expect(other.stdout).toMatch(/recorded {2}allow Read .*\n {2}now {7}deny Read \(project deny Read/);
  expect((await p.cadre("replay", runId, "--json")).lines()).toMatchObject([
    { runId, divergence: { runId } },
  ]);
});

const ROUTER = `---
name: desk
description: Chooses.
model: scripted/desk
router: { destinations: [tidy, other] }
---
Choose.
`;

test("[L2] `cadre replay --agent` lists each difference once, with the affected runs and their cost", async () => {
  await using p = await project({ ...FILES, "agents/lead.md": agent("lead", "agents: [tidy]\n") });
  await p.write(
    "lead.script.yaml",
    "turns:\n  - when: { turn: 1 }\n    calls: [{ tool: delegate, input: { agent: tidy, task: look below } }]\n  - text: done\n",
  );
  await p.write("cadre.yaml", "prices: { scripted/tidy: { input: 1, output: 1 } }\n");
  await p.cadre("run", "tidy", "look");
  await p.cadre("run", "tidy", "look again", "--model", "scripted/rehearsal");
  await p.cadre("run", "lead", "lead");
  const same = await p.cadre("replay", "--agent", "tidy");
  expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The same: 3 runs, \d+ decisions/) });

  await p.write(
    "agents/tidy.md",
    agent("tidy", "tools: [Read, Grep]\ntemperature: 0.5\n").replace("Do it.", "Do it well."),
  );
  const differs = await p.cadre("replay", "--agent", "tidy", "--last", "2", "--json");
  expect(differs.code).toBe(1);
  const [view] = differs.lines() as unknown as [AgentReplayView];
  expect(view.runs.map(({ task }) => task)).toEqual(["look below", "look again"]);
  for (const { difference } of view.runs) {
    expect(difference!.changes.map(({ what }) => what)).toEqual(["prompt", "tools", "temperature"]);
    const [prompt, tools] = difference!.changes;
    // The prompt also loses the text about the removed tools.
    expect(prompt!.lines.slice(0, 2)).toEqual(["-Do it.", "+Do it well."]);
    expect(prompt!.lines.slice(2).join("\n")).toMatch(
      /^-- Keep a todo list.*\n-System: .*bash.*\n\+System: /,
    );
    expect(tools!.lines).toContain("-Bash");
    expect(tools!.lines).not.toContain("-Read");
  }
  const [child, root] = view.runs;
  expect(child!.usage.cost).toBeGreaterThan(0);
  expect(view.again.usage.cost).toBeCloseTo(child!.usage.cost + root!.usage.cost);

  const shown = await p.cadre("replay", "--agent", "tidy");
  expect(shown.stdout).toMatch(
    /^Differs in 3 runs: prompt, tools, temperature\n {2}prompt\n {4}- Do it\.\n {4}\+ Do it well\./,
  );
  expect(shown.stdout).toMatch(
    /3 of 3 runs would be decided differently\. Running them again would cost about .*\$/,
  );
  expect((await p.cadre("replay", "--agent", "lead")).code).toBe(0);
});

test("[L2] `cadre replay --agent` reports what differs after an agent's model, limits, rules or routes were changed, and at which event", async () => {
  await using p = await project({ ...FILES, "agents/other.md": agent("other"), "agents/desk.md": ROUTER });
  await p.write(
    "desk.script.yaml",
    "turns:\n  - calls: [{ tool: route_to, input: { agent: tidy, reason: it is tidy } }]\n",
  );
  await p.cadre("run", "desk", "look");
  const changes = async (name: string) => {
    const [view] = (await p.cadre("replay", "--agent", name, "--json")).lines() as unknown as [
      AgentReplayView,
    ];
    return view.runs[0]!.difference;
  };
  expect(await changes("desk")).toBeUndefined();
  expect(await changes("tidy")).toBeUndefined();

  await p.write("agents/tidy.md", agent("tidy").replace("scripted/tidy", "scripted/desk"));
  expect((await changes("tidy"))!.changes).toEqual([
    { what: "model", lines: ["-scripted/tidy", "+scripted/desk"] },
  ]);
  await p.write("agents/tidy.md", agent("tidy", "permissions: { deny: [Read] }\n"));
  const [rule] = (await changes("tidy"))!.changes;
  expect(rule).toMatchObject({
    what: "decision",
    lines: [expect.stringMatching(/^-allow Read/), expect.stringMatching(/^\+deny Read/)],
  });
  await p.write("agents/tidy.md", agent("tidy", "maxTurns: 5\n"));
  expect((await changes("tidy"))!.changes[0]).toMatchObject({
    what: "prompt",
    lines: [
      expect.stringContaining("-You have at most 100 turns"),
      expect.stringContaining("+You have at most 5 turns"),
    ],
  });

  await p.write("agents/desk.md", ROUTER.replace("tidy, other", "other"));
  const routed = (await changes("desk"))!.changes;
  expect(routed.map(({ what }) => what)).toEqual(["prompt", "tools"]);
  expect(routed[1]!.lines).toEqual(["-route_to", "+route_to (described otherwise)"]);
});

test("[L2] `cadre replay --agent` reports where a lower limit would have ended a run, and which agent a changed handoff would have chosen", async () => {
  await using p = await project({ ...FILES, "agents/other.md": agent("other") });
  await p.write("agents/first.md", agent("first", "handoff: tidy\n"));
  await p.write("first.script.yaml", SCRIPT);
  await p.cadre("run", "first", "look");
  const replayText = async () => (await p.cadre("replay", "--agent", "first")).stdout;
  expect(await replayText()).toMatch(/^The same: 1 run/);
  await p.write("agents/first.md", agent("first", "handoff: tidy\nmaxTurns: 2\n"));
  expect(await replayText()).toMatch(
    /- call-model m2 \(scripted\/first\)\n {4}\+ record LIMIT_REACHED maxTurns/,
  );
  await p.write("agents/first.md", agent("first", "handoff: other\n"));
  expect(await replayText()).toMatch(/- start tidy \(handoff\)\n {4}\+ start other \(handoff\)/);
});

test("[L2] `cadre replay` refuses invalid arguments", async () => {
  await using p = await project(FILES);
  for (const args of [
    [],
    ["r1", "--agent", "tidy"],
    ["r1", "--last", "3"],
    ["--agent", "tidy", "--last", "x"],
  ])
    expect(await p.cadre("replay", ...args)).toMatchObject({ code: 2 });
  expect(await p.cadre("replay", "--agent", "nobody")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no agent `nobody`"),
  });
  expect((await p.cadre("replay", "--agent", "tidy")).stdout).toBe("There are no runs of tidy to replay.\n");
});
