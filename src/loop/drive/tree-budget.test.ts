import { expect, test } from "vitest";
import { delegate, look, payloadsOf, roles, scenario, turns } from "../../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../../test/support/world.ts";
import { resolveLimits } from "../commands/admit.ts";
import { decideApproval } from "../commands/person-commands.ts";

/** Five parallel children that spend 1,000 tokens each turn. */
const family: WorldOptions = {
  agent: "agents: [coder]\ntools: []\ndelegation: { mode: parallel, maxParallel: 5 }\nmaxOutputTokens: 200",
  cast: { coder: "tools: [look]\nmaxOutputTokens: 200\nlimits: { onBudget: stop }" },
  config: "limits: { tree: { maxTokens: 20000 }, onBudget: suspend }\n",
  script: roles({
    tester: turns({ calls: ["a", "b", "c", "d", "e"].map((task) => delegate("coder", task)) }),
    coder: ({ turn }) =>
      turn < 5 ? { calls: [look(`${turn}`)], usage: { input: 900, output: 100 } } : { text: "done" },
  }),
};

const children = async (world: World, runId: string): Promise<string[]> =>
  payloadsOf(await world.events(runId), "CHILD_RUN_STARTED").map((payload) => payload.child_run_id);

/** Waits until every child has ended or is suspended. Returns the suspended children. */
async function suspendedChildren(world: World, runId: string): Promise<string[]> {
  for (;;) {
    const ids = await children(world, runId);
    if (ids.length === 5) {
      const states = await Promise.all(ids.map((id) => world.settled(id)));
      return ids.filter((_, index) => states[index]!.status === "suspended");
    }
    await world.seen(runId, "RUN_SUSPENDED");
  }
}

scenario("[B3] [F25] raising a tree's budget once lets all of its runs continue", family, async (world) => {
  const { people, store } = world.runtime;
  const runId = await world.run("see to it");
  const stopped = await suspendedChildren(world, runId);
  expect(stopped.length, "the root says what happens, whatever their files say").toBeGreaterThan(1);
  const state = await world.state(stopped[0]!);
  expect(state.waitingOn).toMatchObject({
    kind: "budget",
    items: ["budget/1"],
    detail: expect.stringMatching(
      /^The budget of the whole tree does not cover the next call: the tree has 20,000 tokens, [\d,]+ are used, /,
    ),
  });
  expect(await store.runs.get(runId)).toMatchObject({
    status: "suspended",
    waitingOn: { blockers: stopped },
  });
  const raise = { decision: "approve", limits: { maxTokens: 200_000 } } as const;
  expect(await decideApproval(`${stopped[0]}:budget/1`, raise, "ann", people)).toEqual({
    alreadyDecided: false,
  });
  expect(await decideApproval(`${stopped[1]}:budget/1`, raise, "bob", people)).toEqual({
    alreadyDecided: true,
  });
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  const { runs } = await store.runs.list({ root: runId });
  expect(runs.map(({ stopReason }) => stopReason)).toEqual(runs.map(() => "final_answer"));
  const decisions = payloadsOf(await store.journal.readAll(0, 1_000, { root: runId }), "APPROVAL_DECIDED");
  expect(new Set(decisions.map(({ by }) => by))).toEqual(new Set(["ann"]));
  expect(decisions).toHaveLength(stopped.length);
});

scenario(
  "[B3] if a person does not raise a used-up tree budget, every run still ends",
  family,
  async (world) => {
    const runId = await world.run("see to it");
    for (const id of await suspendedChildren(world, runId))
      await decideApproval(`${id}:budget/1`, { decision: "reject" }, "ann", world.runtime.people);
    const ids = await children(world, runId);
    for (const id of ids) expect((await world.settled(id)).end).toBeDefined();
    const root = await world.settled(runId);
    if (!root.end)
      await decideApproval(`${runId}:budget/1`, { decision: "reject" }, "ann", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    const { runs } = await world.runtime.store.runs.list({ root: runId });
    const spent = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
    expect(spent, "I9").toBeLessThanOrEqual(20_000);
  },
);

scenario(
  "[B3] when 80 % of the tree's budget is spent, the root's journal gets one warning",
  {
    ...family,
    config: "limits: { tree: { maxTokens: 62000 } }\n",
    script: roles({
      tester: turns({ calls: ["a", "b", "c"].map((task) => delegate("coder", task)) }),
      coder: ({ turn }) =>
        turn < 18 ? { calls: [look(`${turn}`)], usage: { input: 900, output: 100 } } : { text: "done" },
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
    const { runs } = await world.runtime.store.runs.list({ root: runId });
    expect(runs.map(({ stopReason }) => stopReason)).toEqual(runs.map(() => "final_answer"));
    const reached = payloadsOf(
      await world.runtime.store.journal.readAll(0, 1_000, { root: runId }),
      "LIMIT_REACHED",
    );
    expect(reached).toEqual([{ limit: "tree.maxTokens", value: 62_000, hard: false }]);
    expect(payloadsOf(await world.events(runId), "LIMIT_REACHED")).toHaveLength(1);
  },
);

scenario(
  "new limits are refused for any item other than a budget",
  {
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [{ tool: "charge", input: { what: "a" } }] }),
  },
  async (world) => {
    const runId = await world.run("spend");
    await world.settled(runId);
    const wish = { decision: "approve", scope: "tree", limits: { maxTokens: 1 } } as const;
    await expect(decideApproval(`${runId}:m1.0`, wish, "eve", world.runtime.people)).rejects.toThrow(
      "Only a budget that is used up takes new limits.",
    );
  },
);

for (const [title, config, file, bound] of [
  ["in a root's file limits its tree", "", "{ tree: { maxTokens: 90000 } }", { maxTokens: 90000 }],
  [
    "in a root's file can only lower the limits",
    "limits: { tree: { maxTokens: 80000, maxRuns: 5 } }",
    "{ tree: { maxTokens: 90000, maxRuns: 3 } }",
    { maxTokens: 80000, maxRuns: 3 },
  ],
] as const)
  scenario(
    `[B3] a tree's budget ${title}`,
    {
      agent: `limits: ${file}\nagents: [coder]`,
      cast: { coder: "" },
      config,
      script: roles({ tester: turns({ calls: [delegate("coder")] }) }),
    },
    async (world) => {
      const root = await world.run("see to it");
      await world.seen(root, "RUN_COMPLETED");
      const { runs } = await world.runtime.store.runs.list({ root });
      for (const { id } of runs) expect((await world.state(id)).start!.limits.tree).toMatchObject(bound);
    },
  );

test("if a limit in a tree's budget is undefined, it is ignored, and a limit set elsewhere still applies", () => {
  const own = { tree: { maxTokens: undefined, maxCost: 1 } };
  expect(resolveLimits({ tree: { maxTokens: 5, maxRuns: undefined } }, own, {}).tree).toEqual({
    maxTokens: 5,
    maxCost: 1,
  });
  expect(resolveLimits({}, { tree: { maxTokens: undefined } }, {}).tree ?? {}).toEqual({});
});
