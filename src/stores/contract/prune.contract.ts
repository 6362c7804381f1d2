// Pruning deletes whole trees and the data that only they need. It keeps the data that other runs need.

import { expect } from "vitest";
import type { JournalEvent, Payload } from "../../journal/events.ts";
import type { Store } from "../store.ts";
import { follow } from "./follow.fixture.ts";
import {
  acquireRun,
  admit,
  admitChild,
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
  scenarios,
  sendSignal,
  startPayload,
  toolResult,
} from "./kit.contract.ts";

export function pruneContract(open: Open): void {
  const scenario = scenarios(open, "pruned");

  scenario(
    "[S1-40] [S1-57] a tree is deleted as a whole, and the hash chains of all other runs stay valid",
    async ({ store }) => {
      await endedTree(store, "old");
      await endedTree(store, "kept");
      const before = await readEverything(store);
      const journals = await Promise.all(["kept", "kept-child"].map((id) => store.journal.read(id)));
      const would = await store.runs.prune({ root: "old", dryRun: true });
      expect(await readEverything(store), "a dry run changes nothing").toEqual(before);

      expect(await store.runs.prune({ root: "old" })).toEqual(would);
      const gone = before.filter(({ runId }) => runId.startsWith("old"));
      expect(would).toMatchObject({ trees: 1, runs: 2, events: gone.length });
      expect(would.bytes).toBe(gone.reduce((sum, event) => sum + sizeOf(event), 0));

      expect(await readEverything(store)).toEqual(before.filter((event) => !gone.includes(event)));
      expect(await Promise.all(["kept", "kept-child"].map((id) => store.journal.read(id)))).toEqual(journals);
      expect(await store.runs.get("old-child")).toBeUndefined();
      expect(await store.journal.read("old")).toEqual([]);
      expect((await store.runs.list({})).runs.map(({ id }) => id)).toEqual(["kept-child", "kept"]);
      expect((await store.usage.messages({})).messages.map(({ session_id }) => session_id)).toEqual([
        "kept",
        "kept",
      ]);
      await expect(sendSignal(store, "old", contextAdded("late"))).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    },
  );

  scenario("[P7] a tree with an active run is kept", async ({ store }) => {
    await admit(store, "r1");
    await admitChild(store, "c1", "r1", "r1");
    await (await acquireRun(store, "r1")).append([runEnded("RUN_FAILED")]);
    expect(await store.runs.prune({})).toMatchObject({ trees: 0, runs: 0, events: 0 });
    expect(await store.runs.prune({ root: "r1", status: ["failed", "pending"] })).toMatchObject({ trees: 0 });
    await (await acquireRun(store, "c1")).append([runEnded()]);
    expect(await store.runs.prune({ root: "c1" }), "c1 is not a root run").toMatchObject({ trees: 0 });
    expect(await store.runs.prune({})).toMatchObject({ trees: 1, runs: 2 });

    await admit(store, "r2", { budgetRunId: "r1", trigger: "message" });
    await admitChild(store, "c2", "r2", "r2");
    await (await acquireRun(store, "r2")).append([runEnded()]);
    expect(await store.runs.prune({}), "a tree that spends another tree's budget is kept too").toMatchObject({
      trees: 0,
    });
  });

  scenario("a tree that a kept run continues, directly or indirectly, is kept too", async ({ store }) => {
    const chain = ["a", "b", "c"];
    for (const [i, id] of chain.entries()) {
      await admit(store, id, i === 0 ? {} : { continues: await endOf(store, chain[i - 1]!) });
      await (await acquireRun(store, id)).append([runEnded()]);
    }
    await admit(store, "d", { continues: await endOf(store, "c") });
    expect(await store.runs.prune({ dryRun: true })).toMatchObject({ trees: 0 });
    expect(await store.runs.prune({})).toMatchObject({ trees: 0 });
    await (await acquireRun(store, "d")).append([runEnded("RUN_CANCELLED")]);
    expect(await store.runs.prune({ status: ["completed"] }), "d is kept").toMatchObject({ trees: 0 });
    expect(await store.runs.prune({ dryRun: true })).toMatchObject({ trees: 4 });
    expect(await store.runs.prune({})).toMatchObject({ trees: 4, runs: 4 });
    expect(await readEverything(store)).toEqual([]);
  });

  scenario(
    "[FK1] a tree that a fork continues is kept, and the fork is listed as its branch",
    async ({ store }) => {
      await admit(store, "a");
      await (await acquireRun(store, "a")).append([modelCallStarted("m1"), agentThought("m1"), runEnded()]);
      const there = (await store.journal.head("a", 2))!;
      expect(there).toMatchObject({ seq: 2 });
      expect(await store.journal.head("a", 4)).toEqual(await store.journal.head("a"));
      expect(await store.journal.head("a", 5)).toBeUndefined();
      expect(await store.journal.head("b", 1)).toBeUndefined();
      await admit(store, "b", { continues: { runId: "a", ...there }, trigger: "fork" });
      expect((await store.runs.list({ branchesOf: "a" })).runs.map(({ id }) => id)).toEqual(["b"]);
      expect((await store.runs.list({ branchesOf: "b" })).runs).toEqual([]);
      expect(await store.runs.prune({})).toMatchObject({ trees: 0 });
    },
  );

  scenario("a tree is kept if an active run spends its budget", async ({ store }) => {
    await admit(store, "r1");
    await (await acquireRun(store, "r1")).append([modelCallStarted("m1"), agentThought("m1"), runEnded()]);
    await admit(store, "r2", { budgetRunId: "r1", trigger: "message" });
    expect(await store.runs.prune({})).toMatchObject({ trees: 0 });
    await (await acquireRun(store, "r2")).append([runEnded()]);
    expect(await store.runs.prune({})).toMatchObject({ trees: 2 });
  });

  scenario("prune filters trees by age, status, root and workspace", async ({ store, clock }) => {
    for (const [id, type, workspace] of [
      ["r1", "RUN_COMPLETED", "/w"],
      ["r2", "RUN_FAILED", "/w"],
      ["r3", "RUN_COMPLETED", "/v"],
      ["r4", "RUN_COMPLETED", "/w"],
    ] as const) {
      await admit(store, id, { workspace });
      await (await acquireRun(store, id)).append([runEnded(type)]);
      clock.advance(10);
    }
    const remainingRuns = async () => (await store.runs.list({})).runs.map(({ id }) => id).sort();
    const [r4] = (await store.runs.list({ limit: 1 })).runs;
    await store.runs.prune({ status: [] });
    expect(await remainingRuns()).toEqual(["r1", "r2", "r3", "r4"]);
    await store.runs.prune({ before: r4!.endedAt!, status: ["completed"], workspace: "/w" });
    expect(await remainingRuns()).toEqual(["r2", "r3", "r4"]);
    await store.runs.prune({ workspace: "/v" });
    expect(await remainingRuns()).toEqual(["r2", "r4"]);
    await store.runs.prune({ root: "r4" });
    expect(await remainingRuns()).toEqual(["r2"]);
  });

  scenario(
    "[J8] [V1] positions of pruned events are never used again, and readers continue after the gap",
    async (opened) => {
      const { store } = opened;
      await admit(store, "kept");
      await endedTree(store, "old");
      const stop = new AbortController();
      const reader = follow(store, { after: 0, signal: stop.signal });
      const first = (await reader.next()).value as JournalEvent[];
      const last = await store.journal.position();
      await store.runs.prune({});
      expect(await store.journal.position()).toBe(last);
      await sendSignal(store, "kept", contextAdded("one"));
      expect((await reader.next()).value).toMatchObject([{ runId: "kept", position: last + 1 }]);
      stop.abort();

      await endedTree(store, "newest");
      const newest = await store.journal.position();
      await store.runs.prune({});
      const next = await opened.reopen();
      expect(await next.journal.position()).toBe(newest);
      await sendSignal(next, "kept", contextAdded("two"));
      expect(await next.journal.readAll(first.at(-1)!.position, 10)).toMatchObject([
        { position: last + 1 },
        { position: newest + 1 },
      ]);
    },
  );

  scenario("[J9] an attached file is deleted with the last run that needs it", async ({ store }) => {
    const bytes = Buffer.from([0x89, 0x50, 0, 0xff, 0xfe]);
    const blob = await store.blobs.putFile(bytes);
    const attachments = [{ name: "a.png", mediaType: "image/png" as const, bytes: 5, blob }];
    await admit(store, "r1", { attachments });
    await admit(store, "r2");
    const { payload } = contextAdded("c", "look") as { payload: Payload<"CONTEXT_ADDED"> };
    await sendSignal(store, "r2", { type: "CONTEXT_ADDED", payload: { ...payload, attachments } });
    await (await acquireRun(store, "r1")).append([runEnded()]);
    await store.runs.prune({});
    expect(await store.blobs.get(blob), "r2 needs the file").toBe(bytes.toString("base64"));
    await (await acquireRun(store, "r2")).append([runEnded()]);
    await store.runs.prune({});
    expect(await store.blobs.get(blob)).toBeUndefined();
  });

  scenario("a blob is deleted with the last run that needs it", async (opened) => {
    const { store } = opened;
    const shared = await store.blobs.put("a definition");
    const [whole, lost] = [
      await store.blobs.put("a long output"),
      await store.blobs.put("put, and never needed"),
    ];
    await admit(store, "r1", { definition: shared });
    await admit(store, "r2", { definition: shared });
    const large = "x".repeat(2_100_000);
    const { payload } = toolResult("m1.0", "a long…") as { payload: Payload<"TOOL_RESULT"> };
    await sendSignal(
      store,
      "r1",
      { type: "TOOL_RESULT", payload: { ...payload, ref: whole } },
      contextAdded("l", large),
    );
    await sendSignal(store, "r2", contextAdded("l", large));
    await (await acquireRun(store, "r1")).append([runEnded()]);

    const would = await store.runs.prune({ dryRun: true });
    expect(await store.runs.prune({})).toEqual(would);
    expect(await store.blobs.get(whole)).toBeUndefined();
    expect(await store.blobs.get(shared)).toBe("a definition");
    expect((await store.journal.read("r2")).at(-1)).toMatchObject({ payload: { text: large } });
    expect(await store.blobs.get(lost), "a run may be about to need the blob").toBe("put, and never needed");

    await (await acquireRun(store, "r2")).append([runEnded()]);
    const again = await store.blobs.put("a definition");
    const { bytes } = await store.runs.prune({});
    expect(bytes).toBeGreaterThan(large.length);
    await admit(store, "r3", { definition: again });
    expect(await store.blobs.get(again), "the blob was put again before its deletion").toBe("a definition");

    const next = await opened.reopen();
    await next.runs.prune({});
    expect(await next.blobs.get(again), "r3 needs the blob").toBe("a definition");
    expect(await next.blobs.get(lost), "the process that put the blob is gone").toBeUndefined();
  });

  scenario(
    "after a prune, a permanent grant still applies, and an idempotency key can be used again",
    async (opened) => {
      const { store } = opened;
      const request = { key: "k1", body: "{}" };
      await store.runs.start("r1", startPayload({ rootRunId: "r1" }), request);
      await sendSignal(
        store,
        "r1",
        approvalDecided("m1.0", "approve", "maria", { scope: "always", grant: "Bash(npm test)" }),
      );
      await (await acquireRun(store, "r1")).append([runEnded()]);
      const grants = await store.inbox.grants();
      expect(await store.runs.prune({})).toMatchObject({ trees: 1 });
      expect(await store.inbox.grants()).toEqual(grants);
      expect(grants).toMatchObject([{ rule: "Bash(npm test)", runId: "r1" }]);
      const next = await opened.reopen();
      expect(await next.runs.start("r2", startPayload({ rootRunId: "r2" }), request)).toEqual({
        runId: "r2",
        existed: false,
      });
      expect(await next.inbox.grants()).toEqual(grants);
      expect(await next.inbox.revokeGrant(grants[0]!.id)).toBe(true);
    },
  );

  scenario("appends continue while a large tree is deleted", async ({ store }) => {
    await admit(store, "busy");
    await admit(store, "large");
    for (let i = 0; i < 30; i++) {
      await sendSignal(
        store,
        "large",
        ...Array.from({ length: 200 }, (_, j) => contextAdded(`${i}/${j}`, "text")),
      );
    }
    await (await acquireRun(store, "large")).append([runEnded()]);
    const order: string[] = [];
    const pruned = store.runs.prune({}).then((answer) => {
      order.push("pruned");
      return answer;
    });
    for (let i = 0; i < 3; i++) {
      await sendSignal(store, "busy", contextAdded(`${i}`));
      order.push("appended");
      await expectInvariants(store, "pruned");
    }
    expect(await pruned).toMatchObject({ trees: 1, events: 6_002 });
    expect(order[0], "an append does not wait for the whole deletion").toBe("appended");
    await endedTree(store, "next");
  });

  scenario("a tree is kept if a run starts to continue it during the prune", async ({ store }) => {
    for (let i = 0; i < 60; i++) {
      await admit(store, `r${i}`);
      await (await acquireRun(store, `r${i}`)).append([runEnded()]);
    }
    const pruned = store.runs.prune({});
    await admit(store, "next", { continues: await endOf(store, "r0") });
    expect(await pruned).toMatchObject({ trees: 59 });
    expect((await store.runs.list({})).runs.map(({ id }) => id)).toEqual(["next", "r0"]);
  });
}

/** A root and its child, each with one model call. */
async function endedTree(store: Store, root: string): Promise<void> {
  await admit(store, root);
  const parent = await acquireRun(store, root);
  await parent.append([modelCallStarted("m1"), agentThought("m1")]);
  const child = childSpawn(`${root}-child`, root);
  await parent.append([childStarted(`${root}-child`)], {
    spawn: { ...child, start: { ...child.start, rootRunId: root } },
  });
  await (await acquireRun(store, `${root}-child`)).append([
    modelCallStarted("m1"),
    agentThought("m1"),
    runEnded(),
  ]);
  await parent.append([runEnded()]);
}

async function endOf(store: Store, runId: string): Promise<Payload<"RUN_STARTED">["continues"]> {
  return { runId, ...(await store.journal.head(runId))! };
}

const sizeOf = ({ payload }: JournalEvent): number => Buffer.byteLength(JSON.stringify(payload));
