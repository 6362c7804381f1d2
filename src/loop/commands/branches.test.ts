import fc from "fast-check";
import { expect, test } from "vitest";
import { delegate, look, payloadsOf, roles, scenario, turns } from "../../../test/support/scenario.ts";
import type { WorldOptions } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import {
  acquireRun,
  admit,
  admitChild,
  agentThought,
  modelCallStarted,
} from "../../stores/contract/kit.contract.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import { freezeBranch, setBudget, thawBranch } from "./branches.ts";
import { pauseRun, resumeRun } from "./person-commands.ts";

const spends = { usage: { input: 900, output: 100 } };

/** Each turn uses 1,000 tokens. */
const worker: WorldOptions = {
  agent: "tools: [look]\nmaxOutputTokens: 200\nlimits: { maxTokens: 8000, onBudget: suspend }",
  script: ({ turn }) => (turn < 12 ? { calls: [look(`${turn}`)], ...spends } : { text: "done", ...spends }),
};

scenario(
  "[BV3] a run that stopped at its budget continues when a person raises the budget; the journal names the person",
  worker,
  async (world) => {
    const { people } = world.runtime;
    const runId = await world.run("work");
    expect((await world.settled(runId)).waitingOn).toMatchObject({ kind: "budget", items: ["budget/1"] });
    await setBudget(runId, { limits: { maxTokens: 60_000 } }, "ann", people);
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
    expect(payloadsOf(await world.events(runId), "BUDGET_SET")).toEqual([
      { limits: { maxTokens: 60_000 }, by: "ann" },
    ]);
    await expect(setBudget(runId, { limits: { maxTokens: 1 } }, "ann", people)).rejects.toThrow(
      `Run ${runId} has ended (completed). Nothing was changed.`,
    );
  },
);

scenario(
  "[BV1] a budget cannot be lower than the amount already spent; if it is lowered to that amount, the run stops",
  worker,
  async (world) => {
    const { people } = world.runtime;
    const runId = await world.run("work");
    const { usage } = await world.settled(runId);
    const spent = usage.input + usage.output;
    const least = `${spent.toLocaleString("en-US")} tokens`;
    await expect(setBudget(runId, { limits: { maxTokens: spent - 1 } }, "ann", people)).rejects.toThrow(
      `Run ${runId} cannot have less than ${least}: that much is already spent. Nothing was changed.`,
    );
    await setBudget(runId, { limits: { maxTokens: spent } }, "ann", people);
    expect((await world.state(runId)).waitingOn?.kind, "less is no answer to its stop").toBe("budget");
  },
);

const family: WorldOptions = {
  agent: "agents: [coder]\ntools: []\nmaxOutputTokens: 200",
  cast: { coder: "tools: [look]\nmaxOutputTokens: 200\nlimits: { maxTokens: 9000, onBudget: suspend }" },
  config: "limits: { tree: { maxTokens: 20000 } }\n",
  script: roles({
    tester: turns({ calls: [delegate("coder", "a")], ...spends }),
    coder: ({ turn }) => (turn < 12 ? { calls: [look(`${turn}`)], ...spends } : { text: "done" }),
  }),
};

scenario(
  "[BV2] a run's budget cannot exceed what its tree has left; the tree's budget can be raised",
  family,
  async (world) => {
    const { people, store } = world.runtime;
    const runId = await world.run("see to it");
    const { child_run_id: child } = (await world.seen(runId, "CHILD_RUN_STARTED")).payload as {
      child_run_id: string;
    };
    expect((await world.settled(child)).waitingOn?.kind).toBe("budget");
    const more = { limits: { maxTokens: 30_000 } };
    await expect(setBudget(child, more, "ann", people)).rejects.toThrow(
      "The tree does not have so much left for one of its runs. Nothing was changed: give the tree more first.",
    );
    await expect(
      setBudget(runId, { limits: { maxTokens: 500 }, scope: "tree" }, "ann", people),
    ).rejects.toThrow(
      "The tree cannot have 500 tokens: more is spent or reserved for open calls. Nothing was changed.",
    );
    await setBudget(runId, { limits: { maxTokens: 90_000 }, scope: "tree" }, "ann", people);
    await setBudget(child, more, "ann", people);
    await world.seen(runId, "RUN_COMPLETED");
    const told = payloadsOf(await store.journal.readAll(0, 1_000, { root: runId }), "BUDGET_SET");
    expect(told.map(({ scope }) => scope)).toEqual(["tree", "tree", undefined]);
  },
);

scenario(
  "[BV2] a budget that is set later for a tree limits all of its runs, including future children",
  {
    ...family,
    config: "",
    cast: { coder: "tools: [look]\nmaxOutputTokens: 200" },
    script: roles({
      tester: turns({ calls: [look("first")], ...spends }, { calls: [delegate("coder", "a")], ...spends }),
      coder: ({ turn }) => (turn < 30 ? { calls: [look(`${turn}`)], ...spends } : { text: "done" }),
    }),
    agent: "agents: [coder]\ntools: [look]\nmaxOutputTokens: 200",
  },
  async (world) => {
    const { people, store } = world.runtime;
    const runId = await world.run("see to it");
    await world.seen(runId, "RUN_STARTED");
    await setBudget(runId, { limits: { maxTokens: 20_000 }, scope: "tree" }, "ann", people);
    await world.settled(runId);
    const { runs } = await store.runs.list({ root: runId });
    expect(runs).toHaveLength(2);
    const spent = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
    expect(spent, "I9").toBeLessThanOrEqual(20_000);
    expect(runs.map(({ stopReason }) => stopReason)).toContain("budget");
  },
);

scenario(
  "[BV4] [U40] a frozen branch starts nothing, even if a person resumes one of its runs; after the thaw it ends as usual",
  { ...family, cast: { coder: "tools: [look]" }, config: "" },
  async (world) => {
    const { people, store } = world.runtime;
    const runId = await world.run("see to it");
    const { child_run_id: child } = (await world.seen(runId, "CHILD_RUN_STARTED")).payload as {
      child_run_id: string;
    };
    const { runs } = await freezeBranch(runId, "ann", people);
    expect(runs).toEqual([runId, child]);
    const before = await Promise.all(runs.map(async (id) => (await world.settled(id)).modelCalls));
    const refusal = `Run ${child} is frozen with the branch of ${runId}: \`cadre thaw ${runId}\` lets it go on. Nothing was changed.`;
    await expect(resumeRun(child, "bob", people)).rejects.toThrow(refusal);
    await expect(pauseRun(child, "bob", people)).rejects.toThrow(refusal);
    const after = await Promise.all(runs.map(async (id) => (await world.settled(id)).modelCalls));
    expect(after).toEqual(before);
    expect((await thawBranch(runId, "ann", people)).runs).toEqual([runId, child]);
    await world.seen(runId, "RUN_COMPLETED");
    expect((await store.runs.get(child))?.status).toBe("completed");
    await expect(freezeBranch(runId, "ann", people)).rejects.toThrow("has ended (completed)");
  },
);

type Step = { do: "call" | "end" | "give" | "tree"; run: number; amount: number };

const steps = fc.array(
  fc.record<Step>({
    do: fc.constantFrom("call", "end", "give", "tree"),
    run: fc.nat(2),
    amount: fc.nat(120),
  }),
  { minLength: 5, maxLength: 40 },
);

test("[BV1] [BV2] [B2] whatever budgets people set, the amounts a run has spent and reserved never exceed its limit", async () => {
  await fc.assert(fc.asyncProperty(steps, holds), { numRuns: 40 });
});

/** Random budget changes and calls. After each step, spent and reserved amounts must be within the limits. */
async function holds(history: readonly Step[]): Promise<void> {
  const clock = fakeClock(0);
  const store = openSqliteStore({ path: ":memory:", clock });
  const ids = ["r1", "c1", "c2"];
  let nonce = 0;
  const parts = {
    store,
    wake: async () => {},
    ids: { nonce: () => `${nonce++}` } as never,
    checkPrices: async () => ({}),
  };
  try {
    await admit(store, "r1");
    for (const id of ids.slice(1)) await admitChild(store, id, "r1", "r1");
    const runs = await Promise.all(
      ids.map(async (id) => ({
        id,
        driver: await acquireRun(store, id),
        spent: 0,
        open: 0,
        limit: 60,
        calls: 0,
      })),
    );
    let tree = 100;
    await isAccepted(setBudget("r1", { limits: { maxTokens: tree }, scope: "tree" }, "ann", parts));
    for (const { id, limit } of runs) await setBudget(id, { limits: { maxTokens: limit } }, "ann", parts);
    for (const { do: what, run: index, amount } of history) {
      const run = runs[index]!;
      const limits = { maxTokens: amount };
      if (what === "tree" && (await isAccepted(setBudget(run.id, { limits, scope: "tree" }, "ann", parts))))
        tree = amount;
      if (what === "give" && (await isAccepted(setBudget(run.id, { limits }, "ann", parts))))
        run.limit = amount;
      if (what === "call" && run.open === 0) {
        const estimate = { tokens: amount, cost: null };
        const intent = modelCallStarted(`m${++run.calls}`, { estimate });
        const reserve = { estimate, run: { maxTokens: run.limit }, tree: { maxTokens: 0 } };
        if (!(await run.driver.append([intent], { reserve })).refused) run.open = amount;
        else run.calls--;
      }
      if (what === "end" && run.open > 0) {
        const input = Math.min(amount, run.open);
        await run.driver.append([agentThought(`m${run.calls}`, { usage: { input, output: 0 }, cost: 0 })]);
        Object.assign(run, { spent: run.spent + input, open: 0 });
      }
      for (const { spent, open, limit } of runs) expect(spent + open).toBeLessThanOrEqual(limit);
      expect(runs.reduce((sum, { spent, open }) => sum + spent + open, 0)).toBeLessThanOrEqual(tree);
    }
  } finally {
    await store.close();
  }
}

async function isAccepted(word: Promise<void>): Promise<boolean> {
  try {
    await word;
    return true;
  } catch (error) {
    if (error instanceof CadreError && error.code === "CONFLICT") return false;
    throw error;
  }
}
