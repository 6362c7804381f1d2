// BV: a person freezes and thaws branches, and raises or lowers the budget of a tree.

import { expect } from "vitest";
import type { EventBody } from "../../journal/events.ts";
import type { Store } from "../store.ts";
import {
  acquireRun,
  admit,
  admitChild,
  agentThought,
  childSpawn,
  modelCallStarted,
  type Open,
  runEnded,
  runSuspended,
  scenarios,
  sendSignal,
} from "./kit.contract.ts";

export function branchContract(open: Open): void {
  const scenario = scenarios(open);

  scenario(
    "[BV4] [J7] a branch is frozen from the top down in one commit; afterwards, intents of its runs are refused",
    async (opened) => {
      const { store } = opened;
      await family(store);
      const [grandchild, child] = [await acquireRun(store, "c11"), await acquireRun(store, "c1")];
      const [reached, intent, birth] = await Promise.all([
        store.runs.freeze("c1", { by: "maria", key: "frozen/1" }),
        grandchild.append([modelCallStarted("m1")], { guard: "signals" }),
        child.append([], { guard: "signals", spawn: childSpawn("c12", "c1") }),
      ]);
      expect(reached).toEqual(["c1", "c11"]);
      expect([intent.refused, birth.refused]).toEqual(["signals", "signals"]);
      const frozen = { kind: "paused", detail: "Frozen by maria.", frozen: ["c1"] };
      expect(await waits(store)).toEqual({ r1: undefined, c1: frozen, c11: frozen, c2: undefined });
      expect(await store.runs.freeze("c1", { by: "jon", key: "frozen/2" }), "c1 is frozen already").toEqual(
        [],
      );
      await expect(store.runs.freeze("none", { by: "maria", key: "k" })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
      await opened.reopen();
      expect((await waits(opened.store))["c11"], "kept").toEqual(frozen);
    },
  );

  scenario(
    "[BV4] a run in nested frozen branches returns to its earlier state once all of these branches are thawed",
    async ({ store, clock }) => {
      await family(store);
      await sendSignal(store, "c2", runSuspended("p", { kind: "paused", detail: "Paused by jon." }));
      await store.runs.freeze("c1", { by: "maria", key: "frozen/1" });
      await store.runs.freeze("r1", { by: "maria", key: "frozen/2" });
      expect(await frozenWith(store)).toEqual({
        r1: ["r1"],
        c1: ["c1", "r1"],
        c11: ["c1", "r1"],
        c2: ["r1"],
      });

      const thaw = { by: "maria", thaw: true } as const;
      expect(await store.runs.freeze("c1", { ...thaw, key: "thawed/1" })).toEqual(["c1", "c11"]);
      expect(await frozenWith(store)).toEqual({ r1: ["r1"], c1: ["r1"], c11: ["r1"], c2: ["r1"] });
      expect(await store.runs.freeze("r1", { ...thaw, key: "thawed/2" })).toEqual(["r1", "c1", "c2", "c11"]);
      expect(await waits(store)).toEqual({
        r1: undefined,
        c1: undefined,
        c11: undefined,
        c2: { kind: "paused", detail: "Paused by jon." },
      });
      expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(["c1", "c11", "c2", "r1"]);
    },
  );

  scenario("[BV4] runs that have ended or are being cancelled are not frozen", async ({ store }) => {
    await family(store);
    await sendSignal(store, "c2", runEnded());
    await store.runs.cancel("c1", { by: "maria" });
    expect(await store.runs.freeze("r1", { by: "maria", key: "frozen/1" })).toEqual(["r1"]);
  });

  scenario(
    "[BV4] a run that waits for a frozen child also waits for a person until the child is thawed",
    async ({ store }) => {
      await family(store);
      await sendSignal(store, "r1", runSuspended("s", { kind: "child", items: ["c1"] }));
      await store.runs.freeze("c1", { by: "maria", key: "frozen/1" });
      expect((await waits(store))["r1"]).toMatchObject({ kind: "child_hitl", blockers: ["c1"] });
      await store.runs.freeze("c1", { by: "maria", thaw: true, key: "thawed/1" });
      expect((await store.runs.get("r1"))?.status).toBe("running");
    },
  );

  scenario(
    "[BV1] a tree's budget cannot be set below the amount that is spent and reserved",
    async ({ store }) => {
      await family(store);
      const one = await acquireRun(store, "c1");
      await one.append([
        modelCallStarted("m1"),
        agentThought("m1", { usage: { input: 40, output: 0 }, cost: 0 }),
      ]);
      const two = await acquireRun(store, "c2");
      await two.append([modelCallStarted("m1", { estimate: { tokens: 30, cost: null } })]);
      expect(await sets(store, 39)).toBe("budget");
      expect(await sets(store, 69)).toBe("reserved");
      expect(await sets(store, 70)).toBeUndefined();
      expect(await asks(one, 1)).toBe("reserved");
      expect(await sets(store, 100)).toBeUndefined();
      expect(await asks(one, 30)).toBeUndefined();
    },
  );

  scenario(
    "[BV3] every run of the tree learns of a new budget; a run that had stopped at the old budget continues",
    async ({ store, clock }) => {
      await family(store);
      for (const [id, limit] of [
        ["c11", "tree.maxTokens"],
        ["c2", "maxTokens"],
      ] as const)
        await (await acquireRun(store, id)).append(
          [limitReached(limit), runSuspended("s", { kind: "budget" })],
          {
            rest: { wakeAt: undefined },
          },
        );
      for (const id of ["r1", "c1"])
        await (await acquireRun(store, id)).append([runSuspended("w")], { rest: { wakeAt: undefined } });
      expect(await sets(store, 60)).toBeUndefined();
      expect(
        await store.leases.due(clock.now(), 10),
        "the new budget is below the one that stopped c11",
      ).toEqual([]);
      expect(await sets(store, 200)).toBeUndefined();
      expect(await store.leases.due(clock.now(), 10)).toEqual(["c11"]);
      const told = (await store.journal.read("c11")).slice(-2);
      expect(told).toMatchObject([
        { type: "BUDGET_SET", payload: { scope: "tree", limits: { maxTokens: 200 }, by: "maria" } },
        { type: "APPROVAL_DECIDED", payload: { itemId: "budget/1", decision: "approve", by: "maria" } },
      ]);
    },
  );
}

/** Starts the root r1 with its children c1 and c2. The run c1 has a child c11. */
async function family(store: Store): Promise<void> {
  await admit(store, "r1");
  await admitChild(store, "c1", "r1", "r1");
  await admitChild(store, "c2", "r1", "r1");
  await admitChild(store, "c11", "c1", "r1");
}

async function waits(store: Store) {
  const rows = await Promise.all(["r1", "c1", "c11", "c2"].map((id) => store.runs.get(id)));
  return Object.fromEntries(rows.map((row) => [row!.id, row!.waitingOn]));
}

const frozenWith = async (store: Store) =>
  Object.fromEntries(Object.entries(await waits(store)).map(([id, waitingOn]) => [id, waitingOn?.frozen]));

let sequence = 0;

async function sets(store: Store, maxTokens: number) {
  const limits = { maxTokens };
  const set: EventBody = {
    type: "BUDGET_SET",
    payload: { limits, scope: "tree", by: "maria" },
    key: `budget-set/${sequence++}`,
  };
  const { seq } = (await store.runs.get("r1"))!;
  const estimate = { tokens: 0, cost: 0 };
  const reserve = { estimate, run: {}, tree: limits, anew: true as const };
  return (await store.journal.append({ runId: "r1", after: seq, events: [set], guard: "unchanged", reserve }))
    .refused;
}

/** Requests budget as if the tree still had the budget that it was started with. */
const asks = async (driver: Awaited<ReturnType<typeof acquireRun>>, tokens: number) =>
  (
    await driver.append([modelCallStarted(`m${driver.after}`)], {
      reserve: { estimate: { tokens, cost: null }, run: {}, tree: { maxTokens: 1_000 } },
    })
  ).refused;

const limitReached = (limit: string): EventBody => ({
  type: "LIMIT_REACHED",
  payload: { limit, value: 100, hard: true, itemId: "budget/1" },
});
