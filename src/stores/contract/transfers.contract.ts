// Moving a tree to another store (E7): the tree leaves as a whole, arrives unchanged, and continues in only one store.

import { expect } from "vitest";
import { CadreError } from "../../errors.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { readEvent } from "../../journal/upcast.ts";
import type { CarriedTree, Store, StoredEvent } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  approvalDecided,
  childSpawn,
  childStarted,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  type Open,
  readEverything,
  runEnded,
  runSuspended,
  scenarios,
  sendSignal,
  toolProposed,
} from "./kit.contract.ts";

export function transfersContract(open: Open): void {
  const scenario = scenarios(open);

  scenario(
    "[E7] a tree is moved as a whole, parents first; afterwards its runs accept no events",
    async ({ store }) => {
      await suspendedTree(store);
      const { transferId, standing } = await store.transfers.move("r1", "t1");
      expect(transferId).toBe("t1");
      expect(standing).toEqual([
        {
          runId: "c1",
          standing: { claims: ["/w/a"], grants: [{ rule: "Bash(ls)", by: "ann", at: expect.any(Number) }] },
        },
      ]);
      for (const id of ["r1", "c1"]) {
        const journal = await store.journal.read(id);
        expect(journal.at(-1)).toMatchObject({ type: "RUN_MOVED", payload: { transferId: "t1" } });
        expect(journal.at(-2)?.type, "the move adds only its own event").toBe("RUN_SUSPENDED");
        expect(await store.runs.get(id)).toMatchObject({ status: "cancelled", stopReason: "moved" });
        expect(await store.leases.acquire(id, "w2")).toBeUndefined();
        expect((await sendSignal(store, id, contextAdded("late"))).refused).toBe("ended");
      }
      expect(await store.inbox.openItems()).toEqual([]);
      expect(await store.inbox.grants()).toEqual([]);
      expect(await store.runs.cancel("r1", { by: "ann" })).toEqual([]);
    },
  );

  scenario("[E7] a second request to move a tree gets the answer of the first request", async ({ store }) => {
    await suspendedTree(store);
    const first = await store.transfers.move("r1", "t1");
    const before = await readEverything(store);
    expect(await store.transfers.move("r1", "t2")).toEqual(first);
    expect(await readEverything(store)).toEqual(before);
  });

  scenario(
    "[E7] a tree that was sent to a server can be sent again only to the same server, and only until it has arrived",
    async ({ store }) => {
      await suspendedTree(store);
      const { sentTo, ...first } = await store.transfers.move("r1", "t1", "https://a");
      expect(sentTo).toBeUndefined();
      const elsewhere = { code: "CONFLICT", details: { to: "https://a" } };
      await expect(
        store.transfers.move("r1", "t2", "https://b"),
        "the tree may have arrived at https://a",
      ).rejects.toMatchObject(elsewhere);
      expect(await store.transfers.move("r1", "t2", "https://a")).toEqual({ ...first, sentTo: "https://a" });
      expect(
        await store.transfers.move("r1", "t2"),
        "an export to a file names the earlier destination",
      ).toMatchObject({
        sentTo: "https://a",
      });
      await store.transfers.settle("r1", "https://a", "refused");
      await expect(
        store.transfers.move("r1", "t2", "https://b"),
        "the first attempt may have arrived",
      ).rejects.toThrow(/not known/);
      const tree = await carriedTree(store, first.standing);
      await store.transfers.settle("r1", "https://a", "arrived");
      await store.transfers.settle("r1", "https://a", "refused");
      for (const to of ["https://a", "https://b", undefined])
        await expect(store.transfers.move("r1", "t2", to)).rejects.toThrow(
          /was moved to https:\/\/a already/,
        );
      await expect(store.transfers.import(tree), "an older copy of the tree").rejects.toMatchObject(
        elsewhere,
      );
    },
  );

  scenario("[E7] a tree that the first server refused can be sent to another server", async ({ store }) => {
    await suspendedTree(store);
    await store.transfers.move("r1", "t1", "https://a");
    await store.transfers.settle("r1", "https://b", "refused");
    await expect(store.transfers.move("r1", "t2", "https://b")).rejects.toThrow(/not known/);
    await store.transfers.settle("r1", "https://a", "refused");
    expect(await store.transfers.move("r1", "t2", "https://b")).not.toHaveProperty("sentTo");
    await store.transfers.settle("r1", "https://b", "arrived");
    await expect(store.transfers.move("r1", "t2")).rejects.toThrow(/https:\/\/b already/);
  });

  scenario("[E7] a tree is not moved while one of its runs is due or driven", async ({ store, clock }) => {
    await suspendedTree(store);
    await sendSignal(store, "c1", approvalDecided("m1.1", "approve", "ann"));
    const before = await readEverything(store);
    await expect(store.transfers.move("r1", "t1"), "due").rejects.toMatchObject({
      code: "CONFLICT",
      details: { runId: "c1" },
    });
    const child = await acquireRun(store, "c1");
    await expect(store.transfers.move("r1", "t1"), "driven").rejects.toThrow(CadreError);
    expect(await readEverything(store)).toEqual(before);
    await child.append([runSuspended("s2", { kind: "timer", until: clock.now() + 60_000 })], {
      rest: { wakeAt: clock.now() + 60_000 },
    });
    await (await acquireRun(store, "r1")).append([], { rest: { wakeAt: undefined } });
    expect((await store.transfers.move("r1", "t1")).transferId, "a time that will come is a rest").toBe("t1");
    await expect(store.transfers.move("r9", "t1")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  scenario("[E7] a tree that has ended is only copied", async ({ store }) => {
    await admit(store, "r1");
    await (await acquireRun(store, "r1")).append([runEnded()]);
    const before = await readEverything(store);
    expect(await store.transfers.move("r1", "t1")).toEqual({ transferId: undefined, standing: [] });
    expect(await readEverything(store)).toEqual(before);
  });

  scenario("[E7] a tree whose budget other trees draw on is not moved", async ({ store }) => {
    await suspendedTree(store);
    await admit(store, "r2", { budgetRunId: "r1", trigger: "message" });
    await expect(store.transfers.move("r1", "t1")).rejects.toMatchObject({
      code: "CONFLICT",
      details: { runs: ["r2"] },
    });
  });

  scenario(
    "[E7] [P2] an imported tree keeps its ids, seqs, times and hashes, but gets positions of the new store",
    async ({ store, clock }) => {
      const other = await open();
      await admit(other.store, "elsewhere");
      await suspendedTree(store);
      const left = await treeEvents(store);
      const heads = await headsOf(store);
      const items = await store.inbox.openItems();
      const { standing } = await store.transfers.move("r1", "t1");
      const tree = await carriedTree(store, standing);
      clock.advance(60_000);

      expect(await other.store.transfers.import(tree)).toEqual({ root: "r1", existed: false });
      expect(await treeEvents(other.store)).toEqual(
        left.map((event, index) => ({ ...event, position: index + 2 })),
      );
      expect(await headsOf(other.store)).toEqual(heads);
      expect(await other.store.inbox.openItems()).toEqual(items);
      expect(await other.store.inbox.grants()).toMatchObject([
        { scope: "tree", rule: "Bash(ls)", by: "ann", runId: "c1" },
      ]);
      expect(await other.store.blobs.get(await store.blobs.put("a stored value"))).toBe("a stored value");

      const before = await readEverything(other.store);
      expect(await other.store.transfers.import(tree), "a second time").toEqual({
        root: "r1",
        existed: true,
      });
      expect(await readEverything(other.store)).toEqual(before);
      await sendSignal(other.store, "c1", approvalDecided("m1.1", "approve", "ann"));
      const driver = await acquireRun(other.store, "c1");
      expect((await driver.append([runEnded()])).refused, "the imported run continues").toBeUndefined();
      expect((await other.store.journal.read("r1")).at(-2)?.type).toBe("CHILD_RUN_COMPLETED");
      await expectInvariants(other.store);
      await other.close();
    },
  );

  scenario(
    "[E7] an imported run is due, and counts as resting until it is driven or gets a signal",
    async ({ store, clock }) => {
      const other = await open();
      const third = await open();
      await suspendedTree(store);
      const tree = await carriedTree(store, (await store.transfers.move("r1", "t1")).standing);
      await other.store.transfers.import(tree);
      await third.store.transfers.import(tree);
      expect(await other.store.leases.due(clock.now(), 10)).toEqual(["r1", "c1"]);
      expect((await other.store.transfers.move("r1", "t2")).transferId).toBe("t2");
      await sendSignal(third.store, "c1", approvalDecided("m1.1", "approve", "ann"));
      const due = { code: "CONFLICT", details: { runId: "c1" } };
      await expect(third.store.transfers.move("r1", "t2"), "the run is due").rejects.toMatchObject(due);
      await other.close();
      await third.close();
    },
  );

  scenario("[E7] [D6] an imported tree keeps its file claims", async ({ store }) => {
    const other = await open();
    await suspendedTree(store);
    const { standing } = await store.transfers.move("r1", "t1");
    await other.store.transfers.import(await carriedTree(store, standing));
    await sendSignal(other.store, "r1", contextAdded("go on"));
    const root = await acquireRun(other.store, "r1");
    await root.append([modelCallStarted("m2"), agentThought("m2"), childStarted("c2", "m2.0")], {
      spawn: childSpawn("c2", "r1", "m2.0"),
    });
    const sibling = await acquireRun(other.store, "c2");
    const refused = await sibling.append([toolProposed("m1.0")], { claims: ["/w/a"] });
    expect(refused).toMatchObject({ refused: "claimed", claimedBy: { runId: "c1" } });
    await other.close();
  });

  scenario("[E7] an import never overwrites another run with the same id", async ({ store }) => {
    const other = await open();
    await suspendedTree(store);
    const { standing } = await store.transfers.move("r1", "t1");
    const tree = await carriedTree(store, standing);
    await admit(other.store, "c1", { task: "something else" });
    const before = await readEverything(other.store);
    await expect(other.store.transfers.import(tree)).rejects.toMatchObject({
      code: "CONFLICT",
      details: { runId: "c1" },
    });
    expect(await readEverything(other.store)).toEqual(before);
    await expect(store.transfers.import(tree), "the tree was moved away from this store").rejects.toThrow(
      /prune --run r1/,
    );
    await other.close();
  });

  const pruning = scenarios(open, "pruned");

  pruning(
    "[E7] a moved tree can return after its old copy is pruned, and the same transfer is imported only once",
    async ({ store }) => {
      const other = await open();
      await suspendedTree(store);
      const { standing } = await store.transfers.move("r1", "t1");
      const out = await carriedTree(store, standing);
      await other.store.transfers.import(out);
      for (const id of ["r1", "c1"]) {
        const driver = await acquireRun(other.store, id);
        await driver.append([], { rest: { wakeAt: undefined } });
      }
      const back = await other.store.transfers.move("r1", "t2");
      expect(back).toEqual({ transferId: "t2", standing });
      expect(await store.runs.prune({ root: "r1" })).toMatchObject({ trees: 1 });
      expect(
        await store.transfers.import({
          ...(await carriedTree(other.store, back.standing)),
          transferId: "t2",
        }),
      ).toMatchObject({
        existed: false,
      });
      expect(await store.runs.get("r1")).toMatchObject({ status: "suspended" });
      await other.store.runs.prune({ root: "r1" });
      expect(await other.store.transfers.import(out), "t1 was imported before").toEqual({
        root: "r1",
        existed: true,
      });
      expect(await other.store.runs.get("r1")).toBeUndefined();
      await other.close();
    },
  );
}

/** Starts a root that waits for its child. The child waits for a person. The tree has a claim, a grant and a blob. */
async function suspendedTree(store: Store): Promise<void> {
  const definition = await store.blobs.put("a stored value");
  await admit(store, "r1", { definition });
  const root = await acquireRun(store, "r1");
  const child = childSpawn("c1", "r1");
  await root.append([modelCallStarted("m1"), agentThought("m1"), childStarted("c1")], {
    spawn: { ...child, start: { ...child.start, definition } },
  });
  await root.append([runSuspended("s1", { kind: "child", items: ["c1"] })], { rest: { wakeAt: undefined } });
  const driver = await acquireRun(store, "c1");
  await driver.append(
    [modelCallStarted("m1"), agentThought("m1"), toolProposed("m1.0"), toolProposed("m1.1")],
    {
      claims: ["/w/a"],
    },
  );
  await sendSignal(
    store,
    "c1",
    approvalDecided("m1.0", "approve", "ann", { scope: "tree", grant: "Bash(ls)" }),
  );
  driver.after = (await store.journal.head("c1"))!.seq;
  await driver.append([runSuspended("s1", { kind: "approval", items: ["m1.1"] })], {
    rest: { wakeAt: undefined },
  });
}

async function carriedTree(
  store: Store,
  standing: { runId: string; standing: object }[],
): Promise<CarriedTree> {
  const stored = (await store.transfers.storedEvents("r1", 0, 1_000)).filter(
    ({ type }) => type !== "RUN_MOVED",
  );
  const blob = "a stored value";
  return {
    transferId: "t1",
    root: "r1",
    events: stored.map(carriedEvent),
    blobs: new Map([[await store.blobs.put(blob), blob]]),
    standing: new Map(standing.map((each) => [each.runId, each.standing])),
  };
}

const carriedEvent = ({ text, hash, ...place }: StoredEvent) => ({
  event: readEvent({ ...place, text }),
  text,
  hash,
});

async function treeEvents(store: Store): Promise<JournalEvent[]> {
  return (await readEverything(store)).filter(({ runId }) => runId === "r1" || runId === "c1");
}

const headsOf = (store: Store) => Promise.all(["r1", "c1"].map((id) => store.journal.head(id)));
