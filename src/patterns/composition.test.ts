// Combines patterns with delegation, approvals and limits.
// Every rule for child runs must also apply to the runs that a pattern starts.

import { describe, expect } from "vitest";
import { effects } from "../../test/support/oracle.ts";
import { samples } from "../../test/support/pattern-samples.ts";
import { delegate, familyOf, payloadsOf, roles, scenario, turns } from "../../test/support/scenario.ts";
import type { World } from "../../test/support/world.ts";
import { cancelRun, decideApproval } from "../loop/commands/person-commands.ts";
import type { ScriptedRequest, ScriptedTurn } from "../models/scripted/script.ts";
import { DECLARATIONS } from "./declarations/index.ts";

type Scripted = (request: ScriptedRequest) => ScriptedTurn;

const all = (given: ReturnType<typeof samples>) => DECLARATIONS.map(({ key }) => [key, given[key]] as const);

describe.each(all(samples((agent) => ({ tool: "charge", input: { what: agent } }))))("%s", (_, sample) => {
  const options = { ...sample, config: "permissions: { ask: [charge] }" };

  scenario(
    "[S0-61] [S3-67] an approval request inside the pattern suspends the root; after all requests are decided, every run resumes",
    options,
    async (world) => {
      const runId = await world.run("the task");
      await approveAll(world, runId);
      expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: sample.summary });
      const charged = effects(world.oracle).map(({ runId: run, callId }) => `${run} ${callId}`);
      expect(charged.length).toBeGreaterThan(0);
      expect(new Set(charged).size).toBe(charged.length);
    },
  );

  scenario(
    "[F23] a cancel in the middle of the pattern ends all runs of the tree, and no unsafe tool runs",
    options,
    async (world) => {
      const runId = await world.run("the task");
      await world.settled(runId);
      await cancelRun(runId, "maria", undefined, world.runtime.people);
      await world.seen(runId, "RUN_CANCELLED");
      const family = await familyOf(world, runId);
      expect(family[0]!.status).toBe("cancelled");
      expect(family.map(({ status }) => status)).not.toContain("suspended");
      expect(family.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
      expect(effects(world.oracle)).toEqual([]);
    },
  );
});

describe.each(all(samples()))("%s", (_, sample) => {
  scenario(
    "[S3-4] [S3-47] a parent that delegates to the pattern gets the last agent's answer; only delegation adds depth",
    {
      ...sample,
      cast: { ...sample.cast, lead: "agents: [tester]" },
      script: (request) =>
        request.agent === "lead"
          ? turn(request, { calls: [delegate("tester")] }, { text: "all done" })
          : (sample.script as Scripted)(request),
    },
    async (world) => {
      const { runId } = await world.runtime.admit({ agent: "lead", task: "lead it", attended: true });
      await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
      const [ended] = payloadsOf(await world.events(runId), "CHILD_RUN_COMPLETED");
      expect(ended).toMatchObject({ success: true, summary: sample.summary });
      const [, , ...below] = await familyOf(world, runId);
      for (const { depth, trigger } of below) expect(depth).toBe(trigger === "delegation" ? 2 : 1);
    },
  );
});

scenario(
  "[S3-67] an agent in a pattern can delegate, and its children use the tree's budget",
  {
    agent: "handoff: second",
    cast: { second: "agents: [helper]", helper: "" },
    script: roles({ second: turns({ calls: [delegate("helper")] }, { text: "with help" }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.seen(runId, "RUN_COMPLETED");
    const family = await familyOf(world, runId);
    expect(family.map(({ agent, trigger, depth }) => [agent, trigger, depth])).toEqual([
      ["tester", "user", 0],
      ["second", "handoff", 0],
      ["helper", "delegation", 1],
    ]);
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    const output = family.reduce((sum, { usage }) => sum + usage.output, 0);
    expect(ended!.tree!.usage.output).toBe(output);
  },
);

scenario(
  "[F22] [S3-49] a pattern never starts an agent that is already at work above it, and reports the cycle",
  {
    agent: "agents: [second]",
    cast: { second: "handoff: tester" },
    script: roles({ tester: turns({ calls: [delegate("second")] }, { text: "so be it" }) }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.seen(runId, "RUN_COMPLETED");
    const [ended] = payloadsOf(await world.events(runId), "CHILD_RUN_COMPLETED");
    expect(ended).toMatchObject({
      success: false,
      summary: "Stage tester failed: it is already at work above (tester → second → tester).",
    });
  },
);

scenario(
  "[S3-7] [S3-67] four patterns in one tree: advisors, a router, best of n, and a handoff at the end",
  {
    agent: "advisors: [risk]\nhandoff: editor",
    cast: {
      risk: "router: { destinations: [legal] }",
      legal: "",
      editor: "bestOf: { n: 2, judge: critic }",
      critic: "",
    },
    script: roles({
      risk: turns({ calls: [{ tool: "route_to", input: { agent: "legal", reason: "law" } }] }),
      critic: turns({ report: { summary: "the second", output: { draft: 2, reason: "clear" } } }),
    }),
  },
  async (world) => {
    const runId = await world.run("the task");
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: "editor is done" });
    expect((await familyOf(world, runId)).map(({ agent, trigger }) => `${agent} ${trigger}`)).toEqual([
      "tester user",
      "risk advisor",
      "legal route",
      "editor handoff",
      "editor best_of",
      "editor best_of",
      "critic best_of",
    ]);
  },
);

function turn(request: ScriptedRequest, ...answers: ScriptedTurn[]): ScriptedTurn {
  return answers[request.turn - 1] ?? { text: "done" };
}

/** Approves all requests of a run and of the runs below it. */
async function approveAll(world: World, runId: string): Promise<void> {
  const { store, people } = world.runtime;
  let news = Promise.withResolvers<void>();
  const unsubscribe = store.journal.onCommit(() => news.resolve());
  for (;;) {
    news = Promise.withResolvers<void>();
    const [open] = await store.inbox.openItems({ root: runId });
    if (open) await decideApproval(`${open.runId}:${open.itemId}`, { decision: "approve" }, "maria", people);
    else if ((await world.state(runId)).end) break;
    else await news.promise;
  }
  unsubscribe();
}
