// The most important test suite: it kills the process with SIGKILL at every boundary of a run, a tree of runs and a team.
// After each kill, a new process continues the scenario to its end.
// The result must equal the result of a process that was never killed (FAULTS §1.2).
// The suite tests only a sample of the boundaries by default.
// CRASH_ALL=1 makes the suite test every boundary. CRASH_PAIRS=all makes it test every pair of boundaries too, which takes hours.

import { describe, expect, it } from "vitest";
import { inPool, liveThrough, runUndisturbed, type Undisturbed } from "./lives.ts";

const MINUTES = 60_000;
const ALL = process.env["CRASH_ALL"] !== undefined;
const ALL_PAIRS = process.env["CRASH_PAIRS"] === "all";
/** Trees are killed at every 7th boundary by default, and teams at every 19th. They are also killed after each unsafe effect (F03). */
const STRIDE = 7;
const TEAM_STRIDE = 19;

const run = await runUndisturbed("run");
const tree = await runUndisturbed("tree");
const steps = await runUndisturbed("steps");
const team = await runUndisturbed("team");

describe("killing the process of a run", () => {
  it("the single run reaches every kind of point at which this suite kills the process", () => {
    const text = run.boundaries.join("\n");
    for (const what of [
      "before append MODEL_CALL_STARTED",
      "before append AGENT_THOUGHT",
      "before append TOOL_PROPOSED",
      "before append TOOL_STARTED",
      "before append TOOL_RESULT",
      "before append RUN_SUSPENDED",
      "before append APPROVAL_DECIDED",
      "before append RUN_RESUMED",
      "RUN_COMPLETED",
      "before heartbeat",
      "before acquire",
      "before start",
      "before look",
      "before charge",
      "before stamp",
    ])
      expect(text).toContain(what);
  });

  it("a run that is never killed has the expected result", () => {
    expect(run.left).toEqual({
      runs: [
        {
          path: "tester",
          status: "completed",
          stopReason: "final_answer",
          summary: "Looked, charged, stamped.",
          read: ["look orders: done", "charge card 1: done", "stamp receipt: done", "Received."],
          heard: [],
          thoughts: 4,
          decisions: ["m2.0: approve by person"],
        },
      ],
      done: ["tester: charge card 1", "tester: stamp receipt"],
    });
  });

  it(
    `[F01][F02][F03][F04][F05] a run recovers from a kill at each of its ${run.boundaries.length} points without repeating an effect`,
    () => killAtEach(run, 1),
    10 * MINUTES,
  );

  it(
    "[F09] a run recovers even if its process is killed a second time, during recovery",
    () => killTwice(run, 8),
    pairsTime(),
  );
});

describe("killing the process of a tree of runs", () => {
  it("the tree reaches every kind of point at which this suite kills the process", () => {
    const text = tree.boundaries.join("\n");
    for (const what of [
      "append CHILD_RUN_STARTED",
      "append RUN_SUSPENDED",
      "append APPROVAL_DECIDED",
      "charge",
      "stamp",
    ])
      expect(text).toContain(`before ${what}`);
  });

  it("[S0-61] a tree that is never killed has the expected result", () => {
    const { runs, done } = tree.left;
    expect(runs.map(({ path, status, summary }) => `${path}: ${status}, ${summary}`)).toEqual([
      "lead: completed, Bought and checked.",
      "lead > buyer: completed, Bought.",
      "lead > checker: completed, Checked.",
      "lead > checker > stamper: completed, Stamped.",
    ]);
    expect(done).toEqual(["lead > buyer: charge card 1", "lead > checker > stamper: stamp receipt"]);
    expect(runs.flatMap(({ decisions }) => decisions)).toEqual(["m1.0: approve by person"]);
    expect(runs[0]!.read.join()).toMatch(/"summary": "Bought\.".*"summary": "Checked\."/s);
  });

  it(
    `[P4] [P5] [P6] [J7] [F06] [F07] [F08] a tree recovers from a kill at ${ALL ? "each" : `every ${STRIDE}th`} of its ${tree.boundaries.length} boundaries without repeating an effect`,
    () => killAtEach(tree, ALL ? 1 : STRIDE),
    20 * MINUTES,
  );

  it(
    "[F09] a tree recovers even if its process is killed a second time, during recovery",
    () => killTwice(tree, 4),
    pairsTime(),
  );
});

describe("killing the process of a run with a steps module", () => {
  it("[M3] a run that has a steps module and is never killed has the expected result", () => {
    const { runs, done } = steps.left;
    expect(runs.map(({ path, status, summary }) => `${path}: ${status}, ${summary}`)).toEqual([
      "clerk: completed, A hat. charge card 1: done Stamped. Blue. Bought.",
      "clerk > stamper: completed, Stamped.",
    ]);
    expect(done).toEqual(["clerk > stamper: stamp receipt", "clerk: charge card 1"]);
    expect(steps.boundaries.join("\n")).toMatch(/append .*STEP_YIELDED[\s\S]*append .*TIMER_FIRED/);
  });

  it(
    `[M1] [M3] [M4] [F01] [F03] a run with a steps module recovers from a kill at ${ALL ? "each" : `every ${STRIDE}th`} of its ${steps.boundaries.length} boundaries without repeating an effect`,
    () => killAtEach(steps, ALL ? 1 : STRIDE),
    20 * MINUTES,
  );
});

describe("killing the process of a team", () => {
  it("a team run reaches every kind of point at which this suite kills the process", () => {
    const text = team.boundaries.join("\n");
    for (const what of [
      "append TEAM_ROUND_STARTED",
      "append CHILD_RUN_STARTED",
      "append RUN_SUSPENDED",
      "charge",
    ])
      expect(text).toContain(`before ${what}`);
    expect(text).toMatch(/before append TEAM_MESSAGE,TEAM_VOTE/);
    expect(text).toMatch(/before append CONTEXT_ADDED/);
  });

  it("[S3-37] a team that is never killed has the expected result", () => {
    const { runs, done } = team.left;
    expect(runs.map(({ path, status, thoughts }) => `${path}: ${status}, ${thoughts}`)).toEqual([
      "lead: completed, 1",
      "lead > buyer 1: completed, 2",
      "lead > buyer 2: completed, 1",
      "lead > critic 1: completed, 1",
      "lead > critic 2: completed, 1",
      "lead > stamper 1: completed, 2",
      "lead > stamper 2: completed, 1",
    ]);
    expect(done).toEqual(["lead > buyer 1: charge card 1", "lead > stamper 1: stamp receipt"]);
    expect(runs.flatMap(({ decisions }) => decisions)).toEqual(["m1.0: approve by person"]);
    expect(
      runs.find(({ path }) => path === "lead > critic 2")!.heard.map((text) => text.split("\n")[0]),
    ).toEqual([
      "Round 2 of at most 10. What the others said follows. Go on with the discussion, and end your turn with `vote_conclude`.",
      "buyer says:",
      "buyer votes to go on:",
      "stamper says:",
    ]);
  });

  it(
    `[P3] [P4] [P6] [J7] a team recovers from a kill at ${ALL ? "each" : `every ${TEAM_STRIDE}th`} of its ${team.boundaries.length} boundaries: no message or effect is repeated`,
    () => killAtEach(team, ALL ? 1 : TEAM_STRIDE),
    40 * MINUTES,
  );

  it(
    "[F09] a team recovers even if its process is killed a second time, during recovery",
    () => killTwice(team, 3),
    pairsTime(),
  );
});

async function killAtEach(whole: Undisturbed, stride: number): Promise<void> {
  const points = whole.boundaries.flatMap((name, index) =>
    (index + 1) % stride === 0 || name.endsWith("after charge") ? [index + 1] : [],
  );
  await inPool(points.map((point) => () => liveThrough(whole, point)));
}

async function killTwice(whole: Undisturbed, sample: number): Promise<void> {
  await inPool(
    pairs(whole, sample).map(
      ([first, second]) =>
        () =>
          liveThrough(whole, first, second),
    ),
  );
}

/** Selects a fixed sample of pairs of boundaries. With CRASH_PAIRS=all, selects all pairs. */
function pairs({ boundaries }: Undisturbed, sample: number): [number, number][] {
  const all = boundaries.flatMap((_, first) =>
    boundaries.map((__, second): [number, number] => [first + 1, second + 1]),
  );
  if (ALL_PAIRS) return all;
  const step = Math.floor(all.length / sample);
  return Array.from({ length: sample }, (_, index) => all[(index * step * 7 + 5) % all.length]!);
}

function pairsTime(): number {
  return (ALL_PAIRS ? 600 : 10) * MINUTES;
}
