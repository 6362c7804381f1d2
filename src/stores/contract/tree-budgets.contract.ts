// B3: all runs of a tree share one budget. The root is warned when most of the budget is spent.
// When a person changes the budget, every run of the tree learns of the change.

import { describe, expect } from "vitest";
import type { EventBody } from "../../journal/events.ts";
import type { Append, Store } from "../store.ts";
import { branchContract } from "./branches.contract.ts";
import {
  acquireRun,
  admit,
  admitChild,
  agentThought,
  approvalDecided,
  modelCallStarted,
  type Open,
  runEnded,
  runSuspended,
  scenarios,
  sendSignal,
} from "./kit.contract.ts";

type Driver = Awaited<ReturnType<typeof acquireRun>>;
const BUDGET = { maxTokens: 100 };

export function treeBudgetContract(open: Open): void {
  const scenario = scenarios(open);
  describe("freezing branches and changing budgets", () => branchContract(open));

  scenario(
    "[B3] [F25] the root is warned once when 80 % of the tree's budget is spent",
    async ({ store, clock }) => {
      const [one, two] = await tree(store, "c1", "c2");
      await spend(one!, "m1", 79);
      expect(await asks(one!, "m2")).toBeUndefined();
      expect(warnings(await store.journal.read("r1"))).toEqual([]);
      await one!.append([agentThought("m2", { usage: { input: 1, output: 0 } })]);
      expect(await asks(two!, "m1")).toBeUndefined();
      expect(await asks(one!, "m3")).toBeUndefined();
      const [warning, ...more] = warnings(await store.journal.read("r1"));
      expect(warning).toEqual({ limit: "tree.maxTokens", value: 100, hard: false });
      expect(more).toEqual([]);
      expect(await store.leases.due(clock.now(), 10), "a warning does not make the root due").toEqual([]);
    },
  );

  scenario(
    "[B3] if a root spends the budget itself, the warning is part of the append that starts its call",
    async ({ store }) => {
      await admit(store, "r1");
      const root = await acquireRun(store, "r1");
      await spend(root, "m1", 90);
      const answer = await root.append([modelCallStarted("m2")], reserve());
      expect(answer.events.map(({ type }) => type)).toEqual(["MODEL_CALL_STARTED", "LIMIT_REACHED"]);
      expect((await root.append([agentThought("m2")], { guard: "signals" })).refused).toBeUndefined();
    },
  );

  scenario(
    "[B3] a root gets separate warnings for cost and tokens, and no warning after its end",
    async (opened) => {
      const { store } = opened;
      const [one] = await tree(store, "c1");
      const tokens = { input: 85, output: 0 };
      await one!.append([modelCallStarted("m1"), agentThought("m1", { usage: tokens, cost: 9 })]);
      await one!.append([modelCallStarted("m2")], reserve({ ...BUDGET, maxCost: 10 }));
      expect(warnings(await store.journal.read("r1")).map(({ limit }) => limit)).toEqual([
        "tree.maxTokens",
        "tree.maxCost",
      ]);
      await sendSignal(store, "r1", runEnded("RUN_FAILED"));
      expect(await asks(one!, "m3", { maxTokens: 106 })).toBeUndefined();
    },
  );

  scenario("[B3] a refusal names the budget that is exceeded", async ({ store }) => {
    const [one] = await tree(store, "c1");
    await spend(one!, "m1", 100);
    const answer = await one!.append([modelCallStarted("m2")], reserve());
    expect(answer).toMatchObject({ refused: "budget", exceeded: { limit: "tree.maxTokens", value: 100 } });
    const own = { estimate: { tokens: 1, cost: null }, run: { maxTokens: 50 }, tree: BUDGET };
    const mine = await one!.append([modelCallStarted("m2")], { guard: "signals", reserve: own });
    expect(mine.exceeded).toEqual({ limit: "maxTokens", value: 50, used: 100, kept: 0, open: 0 });
  });

  scenario(
    "[B3] the amount reserved for a run's last turn stays reserved between its calls, and other runs cannot use it",
    async (opened) => {
      const [one, two] = await tree(opened.store, "c1", "c2");
      expect(await asks(one!, "m1", BUDGET, 20, 30)).toBeUndefined();
      expect(await asks(two!, "m1", BUDGET, 60), "an open call ends, so the run waits").toBe("reserved");
      await one!.append([agentThought("m1", { usage: { input: 10, output: 0 }, cost: 0 })]);
      await opened.reopen();
      const again = await acquireRun(opened.store, "c2", "w2");
      const refused = await again.append([modelCallStarted("m1")], reserve(BUDGET, 61));
      expect(refused).toMatchObject({
        refused: "budget",
        exceeded: { limit: "tree.maxTokens", value: 100, used: 10, kept: 30, open: 0 },
      });
      expect(await asks(again, "m1", BUDGET, 60)).toBeUndefined();
      await sendSignal(opened.store, "c1", runEnded("RUN_FAILED"));
      await again.append([agentThought("m1", { usage: { input: 10, output: 0 }, cost: 0 })]);
      expect(await asks(again, "m2", BUDGET, 80), "the end frees the amount").toBeUndefined();
    },
  );

  scenario("[B3] once a call is answered, less budget is kept for the run's last turn", async ({ store }) => {
    const [one, two] = await tree(store, "c1", "c2");
    await asks(one!, "m1", BUDGET, 20, 70);
    const lastTurn = { tokens: 30, cost: null };
    await one!.append([agentThought("m1", { usage: { input: 10, output: 0 }, cost: 0, lastTurn })]);
    expect(await asks(two!, "m1", BUDGET, 60)).toBeUndefined();
  });

  scenario(
    "[B2] [I9] siblings that reserve together never exceed the budget, and each keeps its last turn",
    async ({ store }) => {
      const drivers = await tree(store, "c1", "c2", "c3", "c4", "c5");
      const spent = new Map(drivers.map((driver) => [driver, 0]));
      for (let round = 1; round <= 8; round++) {
        const answers = await Promise.all(
          drivers.map(async (driver) => [driver, await asks(driver, `m${round}`, BUDGET, 12, 6)] as const),
        );
        const begun = answers.filter(([, refused]) => refused === undefined).map(([driver]) => driver);
        for (const driver of begun) {
          await driver.append([agentThought(`m${round}`, { usage: { input: 12, output: 0 }, cost: 0 })]);
          spent.set(driver, spent.get(driver)! + 12);
        }
      }
      const started = drivers.filter((driver) => spent.get(driver)! > 0);
      for (const driver of started) {
        expect(await asks(driver, "last", BUDGET, 6), "the last turn").toBeUndefined();
        await driver.append([agentThought("last", { usage: { input: 6, output: 0 }, cost: 0 })]);
        spent.set(driver, spent.get(driver)! + 6);
      }
      const total = [...spent.values()].reduce((sum, one) => sum + one, 0);
      expect(total).toBeLessThanOrEqual(100);
      expect(total, "the budget is used").toBeGreaterThan(80);
    },
  );

  scenario(
    "[B3] [F25] when a person raises the tree's budget, every stopped run continues, and all runs use the new budget",
    async (opened) => {
      const { store, clock } = opened;
      const [one, two, three, busy] = await tree(store, "c1", "c2", "c3", "c4");
      await admit(store, "r2");
      const elsewhere = await acquireRun(store, "r2");
      await spend(busy!, "m1", 100);
      for (const driver of [one!, two!]) await stops(driver, "tree.maxTokens");
      await stops(three!, "maxTokens");
      await stops(elsewhere, "tree.maxTokens");
      await sendSignal(store, "c1", raise("budget/1", { maxTokens: 200 }));

      expect((await store.journal.read("c2")).at(-1)).toMatchObject({
        type: "APPROVAL_DECIDED",
        payload: { itemId: "budget/1", decision: "approve", by: "maria", limits: { maxTokens: 200 } },
      });
      expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(["c1", "c2"]);
      expect((await store.inbox.openItems()).map(({ runId }) => runId).toSorted()).toEqual(["c3", "r2"]);
      expect(
        await asks(busy!, "m2"),
        "this run never stopped and does not know of the new budget",
      ).toBeUndefined();
      await opened.reopen();
      const again = await acquireRun(opened.store, "c2", "w2");
      expect(await asks(again, "m1", BUDGET, 50)).toBeUndefined();
      expect(await asks(await acquireRun(opened.store, "c1", "w2"), "m1", BUDGET, 101)).toBe("budget");
    },
  );

  scenario(
    "[B3] a run that is about to suspend because of the old tree budget also learns of the new budget",
    async ({ store }) => {
      const [one, two] = await tree(store, "c1", "c2");
      await stops(one!, "tree.maxTokens");
      await two!.append([limitReached("tree.maxTokens")]);
      await sendSignal(store, "c1", raise("budget/1", { maxTokens: 200 }));
      const late = await two!.append([runSuspended("s", { kind: "budget", items: ["budget/1"] })], {
        guard: "signals",
        after: 2,
      });
      expect(late.refused).toBe("signals");
      expect(late.events.at(-1)).toMatchObject({ type: "APPROVAL_DECIDED" });
    },
  );

  scenario(
    "[B3] a rejected budget, or an approval without new limits, affects only the run that requested the budget",
    async ({ store, clock }) => {
      const [one, two] = await tree(store, "c1", "c2");
      for (const driver of [one!, two!]) await stops(driver, "tree.maxTokens");
      await sendSignal(
        store,
        "c1",
        approvalDecided("budget/1", "reject", "maria", { scope: "tree", limits: BUDGET }),
      );
      expect(await store.leases.due(clock.now(), 10)).toEqual(["c1"]);
      await sendSignal(store, "c2", approvalDecided("budget/1", "approve", "maria"));
      expect(await asks(await acquireRun(store, "c2"), "m1", { maxTokens: 0 })).toBe("budget");
    },
  );
}

/** A root that rests, and children that are being driven. */
async function tree(store: Store, ...ids: string[]): Promise<Driver[]> {
  await admit(store, "r1");
  await (await acquireRun(store, "r1")).append([runSuspended("s", { kind: "child", items: ids })], {
    rest: { wakeAt: undefined },
  });
  const drivers: Driver[] = [];
  for (const id of ids) drivers.push(await acquireRun(store, await admitChild(store, id, "r1", "r1")));
  return drivers;
}

const reserve = (
  budget: { maxTokens?: number; maxCost?: number } = BUDGET,
  tokens = 1,
  lastTurn = 0,
): Partial<Append> => ({
  guard: "signals",
  reserve: { ...reserved(tokens, lastTurn), run: {}, tree: budget },
});

const reserved = (tokens: number, lastTurn: number) => ({
  estimate: { tokens, cost: null },
  ...(lastTurn > 0 ? { lastTurn: { tokens: lastTurn, cost: null } } : {}),
});

/** Requests budget for a model call. The reservation is recorded only if the run also keeps budget for its last turn. */
async function asks(driver: Driver, callId: string, budget = BUDGET, tokens = 1, lastTurn = 0) {
  const intent = modelCallStarted(callId, lastTurn > 0 ? reserved(tokens, lastTurn) : {});
  return (await driver.append([intent], reserve(budget, tokens, lastTurn))).refused;
}

const spend = (driver: Driver, callId: string, tokens: number) =>
  driver.append([
    modelCallStarted(callId),
    agentThought(callId, { usage: { input: tokens, output: 0 }, cost: 0 }),
  ]);

async function stops(driver: Driver, limit: string): Promise<void> {
  await driver.append([limitReached(limit), runSuspended("stop", { kind: "budget", items: ["budget/1"] })], {
    rest: { wakeAt: undefined },
  });
}

const limitReached = (limit: string): EventBody => ({
  type: "LIMIT_REACHED",
  payload: { limit, value: 100, hard: true, itemId: "budget/1" },
});

const raise = (itemId: string, limits: { maxTokens: number }): EventBody =>
  approvalDecided(itemId, "approve", "maria", { scope: "tree", limits });

const warnings = (journal: Awaited<ReturnType<Store["journal"]["read"]>>) =>
  journal.flatMap((event) => (event.type === "LIMIT_REACHED" && !event.payload.hard ? [event.payload] : []));
