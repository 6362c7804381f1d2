// A retry starts a new run that begins with the transcript of an ended run.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import { charge, look, payloadsOf, resultsRead, roles, scenario } from "../../../test/support/scenario.ts";
import { refusedByProvider } from "../../../test/support/steps.ts";
import type { Script } from "../../models/scripted/script.ts";

let down = true;
/** The model chooses its answer by the results it has seen, because a new run counts its turns from one again. */
const script: Script = ({ lastTool }) => {
  if (lastTool === undefined)
    return { text: "I charge.", calls: [{ tool: "charge", input: { what: "card" } }] };
  return down
    ? { error: { status: 400, message: "out of order" } }
    : { report: { summary: "Charged once." } };
};

scenario(
  "[P3][F40] a retry continues a run that failed at its provider: nothing is repeated or paid for again",
  { script },
  async (world) => {
    down = true;
    const failed = await world.run("charge the card");
    await world.seen(failed, "RUN_FAILED");
    const before = await world.events(failed);

    down = false;
    const { runId } = await world.runtime.retry(failed);
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end?.summary).toBe("Charged once.");
    expect(effects(world.oracle).map(({ tool }) => tool)).toEqual(["charge"]);
    expect((await world.events(runId))[0]).toMatchObject({
      type: "RUN_STARTED",
      payload: {
        trigger: "retry",
        task: "charge the card",
        continues: { runId: failed, seq: before.length },
      },
    });
    expect(await world.events(failed), "the old journal is untouched").toEqual(before);

    down = true;
    const again = await world.runtime.retry(runId);
    await world.seen(again.runId, "RUN_FAILED");
    down = false;
    const third = await world.runtime.retry(again.runId);
    await world.seen(third.runId, "RUN_COMPLETED");
    expect(effects(world.oracle), "a chain of retries").toHaveLength(1);
  },
);

scenario(
  "a run that has not ended cannot be retried",
  { script, config: "permissions: { ask: [charge] }" },
  async (world) => {
    const waiting = await world.run("charge the card");
    await world.settled(waiting);
    await expect(world.runtime.retry(waiting)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(world.runtime.retry("r0")).rejects.toMatchObject({ code: "NOT_FOUND" });
  },
);

scenario(
  "a model that is not available is reported before anything starts",
  { script, agent: "model: nosuch/x" },
  async (world) => {
    await expect(world.run("charge the card")).rejects.toMatchObject({
      code: expect.stringMatching(/MODEL_UNKNOWN|AGENT_INVALID/),
    });
    expect((await world.runtime.store.runs.list({})).runs).toEqual([]);
  },
);

scenario("an agent whose file is missing is retried with the old definition", { script }, async (world) => {
  down = true;
  const failed = await world.run("charge the card");
  await world.seen(failed, "RUN_FAILED");
  const file = join(world.folder, "agents", "tester.md");
  rmSync(file);
  down = false;
  const { runId } = await world.runtime.retry(failed);
  await world.seen(runId, "RUN_COMPLETED");
});

scenario(
  "[H4] [F11] a retried agent with advisors reads their advice after its earlier work, and every call keeps its result",
  {
    agent: "advisors: [expert]\nmaxTurns: 2\ntools: [look]",
    cast: { expert: "" },
    script: roles({ tester: () => ({ calls: [look("around")] }) }),
  },
  async (world) => {
    const failed = await world.run("find it");
    await world.seen(failed, "RUN_FAILED");
    const { runId } = await world.runtime.retry(failed);
    await world.seen(runId, "RUN_FAILED");
    const events = [...(await world.events(failed)), ...(await world.events(runId))];
    expect(refusedByProvider(events)).toBeUndefined();
    expect(resultsRead(events).slice(0, 2)).toEqual(["look around: done", expect.stringMatching(/^Not run/)]);
  },
);

scenario(
  "[K4] a team member that is retried alone belongs to no team, and ends with an answer",
  {
    agent: "team: { members: [alpha], maxRounds: 1 }",
    cast: { alpha: "maxTurns: 2\ntools: [look]" },
    script: roles({ alpha: ({ turn }) => (turn < 3 ? { calls: [look("around")] } : { text: "x" }) }),
  },
  async (world) => {
    const runId = await world.run("discuss");
    await world.settled(runId);
    const [alpha] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
    const again = await world.runtime.retry(alpha!.child_run_id);
    await world.settled(again.runId);
    expect(payloadsOf(await world.events(again.runId), "CONTEXT_ADDED")[0]!.text).toMatch(
      /Answer now with text/,
    );
  },
);

scenario(
  "[H5] a retried draft is still a draft: it works alone and changes nothing",
  {
    agent: "bestOf: 2\ntools: [look, charge]\nmaxTurns: 1",
    config: "permissions: { allow: [charge] }",
    script: () => ({ calls: [charge("card")] }),
  },
  async (world) => {
    const runId = await world.run("draft it");
    await world.settled(runId);
    const [draft] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
    const again = await world.runtime.retry(draft!.child_run_id);
    await world.settled(again.runId);
    const events = await world.events(again.runId);
    expect(payloadsOf(events, "MODEL_CALL_STARTED")).toHaveLength(1);
    expect(effects(world.oracle)).toEqual([]);
  },
);

scenario(
  "a retry keeps the model that answered last, even if the agent's file names another model now",
  { script },
  async (world) => {
    const modelsOf = async (runId: string) =>
      payloadsOf(await world.events(runId), "MODEL_CALL_STARTED").map(({ model }) => model);
    down = true;
    const failed = await world.run("charge the card");
    await world.seen(failed, "RUN_FAILED");
    const [model] = await modelsOf(failed);

    const file = join(world.folder, "agents", "tester.md");
    writeFileSync(file, "---\ndescription: tests\nmodel: anthropic/claude-sonnet-4-5\n---\nYou test.\n");
    down = false;
    const { runId } = await world.runtime.retry(failed);
    await world.seen(runId, "RUN_COMPLETED");
    expect(await modelsOf(runId)).toEqual([model]);
  },
);
