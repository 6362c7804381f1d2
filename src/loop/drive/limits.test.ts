import { expect } from "vitest";
import { z } from "zod";
import { effects } from "../../../test/support/oracle.ts";
import {
  delegate,
  look,
  payloadsOf,
  roles,
  scenario,
  turns,
  typesOf,
  watchCalls,
} from "../../../test/support/scenario.ts";
import { fakeClock } from "../../clock.ts";
import type { Script } from "../../models/scripted/script.ts";
import { defineTool } from "../../tools/tool.ts";
import { sendMessage } from "../commands/messages.ts";
import { decideApproval } from "../commands/person-commands.ts";

const busy: Script = ({ turn }) => ({ calls: [look(`n${turn}`)] });

scenario(
  "[P11] maxTurns 0 means zero: there is no model call, and the run's summary says so",
  { idle: true, agent: "limits: { maxTurns: 0 }", script: busy },
  async (world) => {
    const runId = await world.run("work");
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "max_turns" });
    expect(end?.summary).toContain("maxTurns (0)");
    expect(typesOf(await world.events(runId))).toEqual(["RUN_STARTED", "RUN_FAILED"]);
  },
);

for (const max of [1, 3]) {
  scenario(
    `[P11] with maxTurns ${max}, the model is told which turn is its last, and no call is allowed in that turn; all turns offer the same tools`,
    { idle: true, agent: `limits: { maxTurns: ${max} }`, script: busy },
    async (world) => {
      const calls = watchCalls(world, (request) =>
        request.lastUser?.includes("last turn") ? { text: "as far as I got" } : busy(request),
      );
      const runId = await world.run("work");
      const { end } = await world.drive(runId);
      expect(end).toMatchObject({
        status: "completed",
        stopReason: "max_turns",
        summary: "as far as I got",
      });
      expect(calls.all).toHaveLength(max);
      for (const { tools } of calls.all) expect(tools).toEqual(calls.all[0]!.tools);
      expect(calls.all.at(-1)!.toolChoice).toEqual({ type: "none" });
      for (const { toolChoice } of calls.all.slice(0, -1)) expect(toolChoice).toBeUndefined();
    },
  );
}

scenario(
  "[25.15] after four fifths of its turns an agent is told once how many are left",
  {
    idle: true,
    agent: "limits: { maxTurns: 10 }",
    script: ({ turn }) => (turn < 9 ? { calls: [look(`n${turn}`)] } : { text: "done" }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.drive(runId);
    const notes = payloadsOf(await world.events(runId), "CONTEXT_ADDED").map(({ text }) => text);
    expect(
      notes.filter((text) => text.includes("You have used 8 of your 10 turns; 2 are left")),
    ).toHaveLength(1);
  },
);

scenario(
  "[25.15] an agent whose file sets no limit has 100 turns",
  { idle: true, script: () => ({ text: "done" }) },
  async (world) => {
    const [start] = payloadsOf(await world.events(await world.run("work")), "RUN_STARTED");
    expect(start!.limits.maxTurns).toBe(100);
  },
);

scenario(
  "[P11] a tool that is called in the last turn does not run, and the run says why it ended",
  { idle: true, agent: "limits: { maxTurns: 2 }", script: busy },
  async (world) => {
    const runId = await world.run("work");
    const { end, turns: taken } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "max_turns" });
    expect(taken).toBe(2);
    expect(effects(world.oracle).map((effect) => effect.input)).toEqual(["n1"]);
    const results = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(results.at(-1)).toMatchObject({ outcome: "denied" });
  },
);

scenario(
  "[J11] messages after the last permitted turn are listed in the result and do not delay the end",
  {
    idle: true,
    agent: "limits: { maxTurns: 1 }",
    script: () => ({ text: "all I know" }),
    intercept: async (append, send) => {
      const answer = await send();
      if (append.events.some((event) => event.type === "MODEL_CALL_STARTED")) await meanwhile();
      return answer;
    },
  },
  async (world) => {
    const runId = await world.run("work");
    meanwhile = () => sendMessage(runId, "one more thing", "ann", world.runtime.people);
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", summary: "all I know" });
    expect(payloadsOf(await world.events(runId), "RUN_COMPLETED")[0]?.unseen).toEqual(["one more thing"]);
  },
);
let meanwhile = async (): Promise<void> => {};

const durationClock = fakeClock();
scenario(
  "[B1] maxDuration counts the run's own time, not the time that a person takes",
  {
    idle: true,
    clock: durationClock,
    agent: "limits: { maxDuration: 10s, approvalTimeout: 2h }",
    config: "permissions: { ask: [work] }",
    tools: [
      defineTool({
        name: "work",
        description: "Takes six seconds.",
        input: z.object({ n: z.number() }),
        effect: "idempotent",
        reaches: [],
        async execute() {
          durationClock.advance(6_000);
          return { output: "worked" };
        },
      }),
    ],
    script: ({ turn, lastUser }) =>
      lastUser?.includes("last turn")
        ? { text: "out of time" }
        : { calls: [{ tool: "work", input: { n: turn } }] },
  },
  async (world) => {
    const runId = await world.run("work");
    await world.drive(runId);
    for (const call of ["m1.0", "m2.0"]) {
      durationClock.advance(3_600_000);
      await decideApproval(`${runId}:${call}`, { decision: "approve" }, "ann", world.runtime.people);
      await world.drive(runId);
    }
    const { end, usage } = await world.state(runId);
    expect(end).toMatchObject({ stopReason: "max_duration", summary: "out of time" });
    expect(usage.activeMs).toBe(12_000);
  },
);

/** A tool whose call ends only when it is stopped. */
const hang = defineTool({
  name: "hang",
  description: "Waits until it is stopped.",
  input: z.object({ n: z.number() }),
  effect: "idempotent",
  reaches: [],
  execute: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ output: "half-way", isError: true }));
    }),
});
const hanging = { agent: "limits: { maxDuration: 100ms }", tools: [hang], idle: true } as const;
const hangTwice: Script = ({ lastUser }) =>
  lastUser?.includes("last turn")
    ? { text: "half of it is done" }
    : { calls: [1, 2].map((n) => ({ tool: "hang", input: { n } })) };

scenario(
  "[28.1] [B3] at `maxDuration`, the running call is stopped and no other call starts, but the agent can still report",
  { ...hanging, script: hangTwice },
  async (world) => {
    const runId = await world.run("work");
    const { end, usage } = await world.drive(runId);
    expect(end).toMatchObject({
      status: "completed",
      stopReason: "max_duration",
      summary: "half of it is done",
    });
    expect(usage.activeMs).toBeGreaterThanOrEqual(100);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_STARTED")).toHaveLength(1);
    expect(payloadsOf(events, "TOOL_RESULT")).toMatchObject([
      {
        output:
          "half-way\nIt was stopped because the run's time is over (`maxDuration`): some of it may have been done.",
        isError: true,
      },
      { outcome: "not_started" },
    ]);
  },
);

const late = roles({
  tester: turns({ calls: [delegate("slow")] }, (result) => ({ text: `went on with: ${result}` })),
  slow: () => ({ calls: [{ tool: "hang", input: { n: 1 } }] }),
});
const slow = { slow: "limits: { maxDuration: 100ms }" };

scenario(
  "[28.1] [S0-58] a child that reaches its time limit fails with `max_duration`; its parent reads that the child timed out, and continues",
  { agent: "agents: [slow]", cast: slow, tools: [hang], script: late },
  async (world) => {
    const runId = await world.run("work");
    const { end } = await world.settled(runId);
    const [child] = payloadsOf(await world.events(runId), "CHILD_RUN_COMPLETED");
    const timeout = `Child run ${child!.child_run_id} timed out after 100 ms.`;
    expect(child).toMatchObject({ success: false, result: { status: "failed" } });
    expect(await world.runtime.store.runs.get(child!.child_run_id)).toMatchObject({
      status: "failed",
      stopReason: "max_duration",
    });
    expect(child!.summary).toContain(timeout);
    expect(end?.status).toBe("completed");
    expect(end?.summary).toContain(timeout);
  },
);

for (const [delegation, status] of [
  ["onTimeout: fail", "failed"],
  ["onFailure: fail", "failed"],
  ["onFailure: fail, onTimeout: return", "completed"],
] as const)
  scenario(
    `[28.1] [S0-58] with delegation: { ${delegation} }, the parent of a child that timed out is ${status}`,
    { agent: `agents: [slow]\ndelegation: { ${delegation} }`, cast: slow, tools: [hang], script: late },
    async (world) => {
      const { end } = await world.settled(await world.run("work"));
      expect(end?.status).toBe(status);
      expect(end?.summary).toMatch(/Child run \w+ timed out after 100 ms\./);
    },
  );

/** The provider reports 1,000 tokens for each turn. */
const spending: Script = ({ turn, lastUser }) =>
  lastUser?.includes("last turn")
    ? { text: "spent", usage: { input: 500, output: 100 } }
    : { calls: [look(`n${turn}`)], usage: { input: 900, output: 100 } };

scenario(
  "[B3] tokens are reserved for the last turn, so the run reports within its budget",
  { idle: true, agent: "maxOutputTokens: 200\nlimits: { maxTokens: 6000 }", script: spending },
  async (world) => {
    const runId = await world.run("spend");
    const { end, usage } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "budget", summary: "spent" });
    expect(usage.input + usage.output, "I9").toBeLessThanOrEqual(6_000);
    const reached = payloadsOf(await world.events(runId), "LIMIT_REACHED");
    expect(reached.filter((limit) => limit.hard)).toMatchObject([{ limit: "maxTokens", value: 6000 }]);
    expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED").at(-1)).toMatchObject({
      purpose: "final",
    });
  },
);

scenario(
  "[B3] the run is warned once, when it has used 80 % of its tokens",
  { idle: true, agent: "maxOutputTokens: 100\nlimits: { maxTokens: 20000 }", script: spending },
  async (world) => {
    const runId = await world.run("spend");
    await world.drive(runId);
    const soft = (await world.events(runId)).filter(
      (event) => event.type === "LIMIT_REACHED" && !event.payload.hard,
    );
    expect(soft).toHaveLength(1);
    const before = (await world.events(runId)).filter((event) => event.seq < soft[0]!.seq);
    expect(payloadsOf(before, "AGENT_THOUGHT")).toHaveLength(16);
  },
);

scenario(
  "[B3] if the budget does not cover even the last turn, the run ends without another model call, and Cadre writes the report",
  { idle: true, agent: "limits: { maxTokens: 100 }", script: spending },
  async (world) => {
    const runId = await world.run("spend");
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "budget" });
    const events = await world.events(runId);
    expect(typesOf(events)).not.toContain("MODEL_CALL_STARTED");
    expect(payloadsOf(events, "RUN_FAILED")[0]?.result.suggestions[0]).toContain("goes on from here");
  },
);

scenario(
  "[B3] a run that waits because of a used-up budget names that budget",
  {
    idle: true,
    config: "prices: { scripted/test: { input: 1000, output: 1000 } }",
    agent: "limits: { maxTokens: 1000000, maxCost: 5, onBudget: suspend }",
    script: spending,
  },
  async (world) => {
    const runId = await world.run("spend");
    const state = await world.drive(runId);
    expect(state).toMatchObject({ status: "suspended", waitingOn: { kind: "budget", items: ["budget/1"] } });
    expect(state.waitingOn?.detail).toMatch(
      /^The budget does not cover the next call: the run has \$5\.00, .* needs about \$\d/,
    );
  },
);

scenario(
  "[B3] onBudget suspend: after a person raises the budget, the run continues",
  {
    idle: true,
    agent: "maxOutputTokens: 100\nlimits: { maxTokens: 4000, onBudget: suspend }",
    script: ({ turn, ...request }) =>
      turn > 4
        ? { text: "done" }
        : (spending as (r: typeof request & { turn: number }) => never)({ turn, ...request }),
  },
  async (world) => {
    const runId = await world.run("spend");
    expect(await world.drive(runId)).toMatchObject({ waitingOn: { kind: "budget", items: ["budget/1"] } });
    await decideApproval(`${runId}:budget/1`, { decision: "approve" }, "ann", world.runtime.people);
    expect(await world.drive(runId), "approved without more").toMatchObject({
      waitingOn: { kind: "budget", items: ["budget/2"] },
    });
    await decideApproval(
      `${runId}:budget/2`,
      { decision: "approve", limits: { maxTokens: 50_000 } },
      "ann",
      world.runtime.people,
    );
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "final_answer", summary: "done" });
  },
);

scenario(
  "[B3] onBudget suspend: after a rejection the agent writes its last report",
  {
    idle: true,
    agent: "maxOutputTokens: 100\nlimits: { maxTokens: 4000, onBudget: suspend }",
    script: spending,
  },
  async (world) => {
    const runId = await world.run("spend");
    await world.drive(runId);
    await decideApproval(`${runId}:budget/1`, { decision: "reject" }, "ann", world.runtime.people);
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "budget", summary: "spent" });
  },
);

scenario(
  "[B2] the cost of a failed attempt counts: if no retry fits the budget, the run ends",
  {
    idle: true,
    agent: "maxOutputTokens: 1000\nlimits: { maxTokens: 6000 }",
    script: ({ purpose }) =>
      purpose === "final"
        ? { text: "cut short", usage: { input: 100, output: 10 } }
        : { text: "…", cut: "length", usage: { input: 1_000, output: 2_800 } },
  },
  async (world) => {
    const { end } = await world.drive(await world.run("spend"));
    expect(end).toMatchObject({ status: "completed", stopReason: "budget", summary: "cut short" });
  },
);

scenario(
  "[B2] if the last turn fails and its retry does not fit the budget, the run ends",
  {
    idle: true,
    agent: "maxOutputTokens: 1000\nlimits: { maxTokens: 6000 }",
    script: () => ({ text: "…", cut: "length", usage: { input: 1_000, output: 2_800 } }),
  },
  async (world) => {
    const { end } = await world.drive(await world.run("spend"));
    expect(end).toMatchObject({ status: "failed", stopReason: "budget" });
  },
);

scenario(
  "[F38] a run gets a warning at 20 % of its maximum number of events; at the maximum it ends, and can be continued",
  { idle: true, agent: "limits: { maxEvents: 50, maxTurns: 100 }", script: busy },
  async (world) => {
    const runId = await world.run("work");
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "history_limit" });
    const events = await world.events(runId);
    expect(events.length).toBeLessThan(60);
    const soft = events.find((event) => event.type === "LIMIT_REACHED");
    expect(soft?.payload).toEqual({ limit: "maxEvents", value: 50, hard: false });
    expect(soft?.seq).toBeLessThan(20);
    expect(payloadsOf(events, "RUN_FAILED")[0]?.result.suggestions[0]).toContain("goes on from here");
  },
);
