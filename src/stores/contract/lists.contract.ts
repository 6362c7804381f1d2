// Lists and pages of runs, budgets, the inbox, and live readers.

import { describe, expect } from "vitest";
import type { JournalEvent } from "../../journal/events.ts";
import type { Append, RunFilter, Store } from "../store.ts";
import { follow } from "./follow.fixture.ts";
import {
  acquireRun,
  admit,
  admitChild,
  agentThought,
  approvalDecided,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  type Open,
  runEnded,
  runSuspended,
  scenarios,
  sendSignal,
  startPayload,
  toolProposed,
  toolResult,
  toolStarted,
} from "./kit.contract.ts";

export function listContract(open: Open): void {
  const scenario = scenarios(open);

  describe("decisions of people", () => {
    scenario(
      "[29.10] decisions are listed with the events that say what they were about, the latest first, page by page",
      async ({ store }) => {
        for (const [runId, userId] of [
          ["r1", "ann"],
          ["r2", "ben"],
        ] as const) {
          await admit(store, runId, { userId, agent: `agent-of-${userId}` });
          const driver = await acquireRun(store, runId);
          await driver.append([modelCallStarted("m1")]);
          await driver.append([agentThought("m1"), toolProposed("m1.0", { verdict: "ask" })]);
          await sendSignal(store, runId, approvalDecided("m1.0", "approve", "ann"));
        }
        await sendSignal(store, "r2", approvalDecided("budget-1", "approve", "ann"));
        const all = await store.inbox.decisions({ limit: 10 });
        expect(all).toMatchObject([
          { runId: "r2", agent: "agent-of-ben", seq: 6, proposal: undefined, thought: 3 },
          { runId: "r2", agent: "agent-of-ben", seq: 5, proposal: 4, thought: 3 },
          { runId: "r1", agent: "agent-of-ann", seq: 5, proposal: 4, thought: 3 },
        ]);
        expect(await store.inbox.decisions({ limit: 1, before: all[0]!.position })).toEqual([all[1]]);
        expect(await store.inbox.decisions({ limit: 9, user: "ann" })).toEqual([all[2]]);
        expect(await store.inbox.decisions({ limit: 9, agent: "agent-of-ben" })).toEqual(all.slice(0, 2));
      },
    );
  });

  describe("admitting and listing runs", () => {
    scenario(
      "[F50] a repeated idempotency key returns the same run; a different request with that key is refused",
      async (opened) => {
        const { store } = opened;
        const start = startPayload({ rootRunId: "r1" });
        const request = { key: "k1", body: '{"task":1}' };
        const both = await Promise.all([
          store.runs.start("r1", start, request),
          store.runs.start("r2", start, request),
        ]);
        expect(both).toEqual([
          { runId: "r1", existed: false },
          { runId: "r1", existed: true },
        ]);
        const next = await opened.reopen();
        expect(await next.runs.start("r3", start, request)).toEqual({ runId: "r1", existed: true });
        await expect(next.runs.start("r4", start, { key: "k1", body: "{}" })).rejects.toMatchObject({
          code: "UNPROCESSABLE",
        });
        expect((await next.runs.list({})).runs.map(({ id }) => id)).toEqual(["r1"]);
      },
    );

    scenario("a run is found by the beginning of its id", async ({ store }) => {
      for (const id of ["r1m7a0", "r1m7a9zz", "r1m7b0", "r1m7Az"]) await admit(store, id);
      const found = async (idPrefix: string) =>
        (await store.runs.list({ idPrefix })).runs.map(({ id }) => id).sort();
      expect(await found("r1m7a")).toEqual(["r1m7a0", "r1m7a9zz"]);
      expect(await found("r1m7a0")).toEqual(["r1m7a0"]);
      expect(await found("r1m7c")).toEqual([]);
      expect(await found("r1m7%")).toEqual([]);
    });

    scenario(
      "[U01] [U03] runs can be filtered by root, start time and kind of wait, counted, and summed by tree",
      async (opened) => {
        const { store, clock } = opened;
        await admit(store, "r1");
        await admitChild(store, "c1", "r1", "r1");
        clock.advance(10);
        const later = clock.now();
        await admit(store, "r2");
        const driver = await acquireRun(store, "c1");
        await driver.append([modelCallStarted("m1")]);
        await driver.append([agentThought("m1", { usage: { input: 10, output: 5 }, cost: 0.25 })]);
        await driver.append([
          runSuspended("rest/1", { kind: "outcome_unknown", detail: "\0 \ud800", items: ["m1.0"] }),
        ]);
        const ids = async (filter: RunFilter) => (await store.runs.list(filter)).runs.map(({ id }) => id);
        expect(await ids({ roots: true })).toEqual(["r2", "r1"]);
        expect(await ids({ since: later })).toEqual(["r2"]);
        expect(await ids({ waiting: "outcome_unknown" })).toEqual(["c1"]);
        expect(await ids({ waiting: "person" })).toContain("c1");
        expect([await store.runs.count({}), await store.runs.count({ roots: true, limit: 1 })]).toEqual([
          3, 2,
        ]);
        const totals = await store.usage.treeTotals(["r1", "r2", "nobody"]);
        expect([...totals.keys()].sort()).toEqual(["r1", "r2"]);
        expect(totals.get("r1")).toMatchObject({ runs: 2, usage: { input: 10, output: 5, cost: 0.25 } });
        expect(totals.get("r2")).toMatchObject({ runs: 1, usage: { input: 0, cost: 0 } });
      },
    );

    scenario(
      "[U03] a run whose items are all decided no longer waits for a person, and neither does its parent",
      async ({ store }) => {
        await admit(store, "r1");
        await admitChild(store, "c1", "r1", "r1");
        await admitChild(store, "c2", "r1", "r1");
        await sendSignal(store, "r1", runSuspended("s", { kind: "child", items: ["c1", "c2"] }));
        for (const id of ["c1", "c2"]) {
          const driver = await acquireRun(store, id);
          await driver.append([
            modelCallStarted("m1"),
            agentThought("m1"),
            toolProposed("m1.0"),
            toolProposed("m1.1"),
          ]);
          await driver.append([runSuspended("rest/1", { kind: "approval", items: ["m1.0", "m1.1"] })]);
        }
        const idsOfWaitingRuns = async (waiting: "person" | "approval") => {
          const ids = (await store.runs.list({ waiting })).runs.map(({ id }) => id);
          expect(await store.runs.count({ waiting })).toBe(ids.length);
          return ids.sort();
        };
        expect(await idsOfWaitingRuns("person")).toEqual(["c1", "c2", "r1"]);
        await sendSignal(store, "c1", approvalDecided("m1.0", "approve", "ann"));
        expect(await idsOfWaitingRuns("approval"), "c1 has another open item").toEqual(["c1", "c2"]);
        await sendSignal(store, "c1", approvalDecided("m1.1", "approve", "ann"));
        expect(await idsOfWaitingRuns("approval")).toEqual(["c2"]);
        expect(await idsOfWaitingRuns("person")).toEqual(["c2", "r1"]);
        await sendSignal(
          store,
          "c2",
          approvalDecided("m1.0", "reject", "ann"),
          approvalDecided("m1.1", "reject", "ann"),
        );
        expect(await idsOfWaitingRuns("person")).toEqual([]);
        expect((await store.runs.get("r1"))?.status).toBe("suspended");
      },
    );

    scenario("a row shows the status of its run", async ({ store, clock }) => {
      await admit(store, "r1", { sessionId: "s1", userId: "maria", task: "Mend it" });
      const born = clock.now();
      expect(await store.runs.get("r1")).toMatchObject({
        status: "pending",
        turns: 0,
        createdAt: born,
        task: "Mend it",
      });
      clock.advance(10);
      const driver = await acquireRun(store, "r1");
      await driver.append([modelCallStarted("m1")]);
      expect(await store.runs.get("r1")).toMatchObject({ status: "running", turns: 1, startedAt: born + 10 });
      await driver.append([
        modelCallFailed("m1", {
          cause: "rate_limit",
          message: "429",
          retryAt: born + 99,
          usage: { input: 2, output: 1 },
          cost: 0.5,
        }),
      ]);
      expect(await store.runs.get("r1")).toMatchObject({
        status: "waiting",
        waitingOn: { kind: "provider", until: born + 99, detail: "429" },
        usage: { input: 2, output: 1, cost: 0.5, wastedCalls: 1, wastedCost: 0.5 },
      });
      await driver.append([modelCallStarted("m1", { attempt: 2 }), agentThought("m1", { attempt: 2 })]);
      await driver.append([runSuspended("s1", { kind: "approval", items: ["m1.0"] })]);
      expect(await store.runs.get("r1")).toMatchObject({
        status: "suspended",
        waitingOn: { kind: "approval" },
        turns: 1,
      });
      await driver.append([runEnded()]);
      expect(await store.runs.get("r1")).toMatchObject({
        status: "completed",
        stopReason: "final_answer",
        summary: "It works.",
        endedAt: born + 10,
        seq: 7,
        usage: { input: 12, output: 6, cost: 0.75 },
      });
      expect(await store.runs.get("none")).toBeUndefined();
    });

    scenario("runs are listed newest first, by page and by filter", async ({ store }) => {
      for (let i = 0; i < 25; i++) {
        await admit(store, `r${i}`, { agent: i % 2 ? "odd" : "even", ...(i < 5 ? { sessionId: "s1" } : {}) });
      }
      await admitChild(store, "c1", "r1", "r1");
      await (await acquireRun(store, "r3")).append([runEnded("RUN_FAILED")]);
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await store.runs.list({ limit: 10, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.runs.map(({ id }) => id));
        cursor = page.nextCursor;
        if (pages.length === 1) await admit(store, "later");
      } while (cursor !== undefined);
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 6]);
      expect(pages.flat()).toEqual(["c1", ...Array.from({ length: 25 }, (_, i) => `r${24 - i}`)]);

      const ids = async (filter: Parameters<Store["runs"]["list"]>[0]) =>
        (await store.runs.list(filter)).runs.map(({ id }) => id);
      expect(await ids({ session: "s1", agent: "odd" })).toEqual(["r3", "r1"]);
      expect(await ids({ root: "r1" })).toEqual(["c1", "r1"]);
      expect(await ids({ parent: "r1" })).toEqual(["c1"]);
      expect(await ids({ status: ["failed", "completed"] })).toEqual(["r3"]);
      expect(await ids({ status: [] })).toEqual([]);
      expect(await store.runs.list({ limit: 0 })).toEqual({ runs: [], nextCursor: undefined });
    });

    scenario("a last page that is exactly full has no next cursor", async ({ store }) => {
      for (let i = 0; i < 4; i++) await admit(store, `r${i}`);
      expect((await store.runs.list({ limit: 4 })).nextCursor).toBeUndefined();
      expect((await store.runs.list({ limit: 3 })).nextCursor).toBeDefined();
    });

    scenario(
      "[F38] for every page size, a journal that is read in pages equals the journal that is read as a whole",
      async ({ store }) => {
        await admit(store, "r1");
        for (const length of [499, 500, 501, 999, 1000, 1001]) {
          const from = (await store.journal.head("r1"))!.seq;
          const events = Array.from({ length: length - from }, (_, i) => contextAdded(`c${from + i}`));
          await sendSignal(store, "r1", ...events);
          const whole = await store.journal.read("r1");
          expect(whole).toHaveLength(length);
          for (const size of [500, 1000]) expect(await readInPages(store, size)).toEqual(whole);
        }
        expect(await store.journal.read("r1", 1001)).toEqual([]);
        expect(await store.journal.read("r1", 5000)).toEqual([]);
        expect(await store.journal.read("none")).toEqual([]);
      },
    );
  });

  describe("the inbox", () => {
    scenario("a decision closes its item, and the end of a run closes its open items", async (opened) => {
      const { store, clock } = opened;
      await admit(store, "r1");
      await admitChild(store, "c1", "r1", "r1");
      const [parent, child] = [await acquireRun(store, "r1"), await acquireRun(store, "c1")];
      await parent.append([
        toolProposed("m1.0", { expiresAt: clock.now() + 5.5 }),
        toolProposed("m1.1", { verdict: "allow" }),
      ]);
      await child.append([toolProposed("m1.0"), toolProposed("m1.1")]);
      clock.advance(1);
      await child.append([runSuspended("s1", { kind: "outcome_unknown", items: ["outcome/m0.0"] })]);
      await parent.append([runSuspended("s1", { kind: "budget", items: ["budget/1"] })]);

      const open = async (filter?: { run?: string; root?: string }) =>
        (await opened.store.inbox.openItems(filter))
          .map(({ runId, itemId, kind }) => `${runId} ${itemId} ${kind}`)
          .toSorted();
      expect(await open({ root: "r1" })).toEqual([
        "c1 m1.0 tool",
        "c1 m1.1 tool",
        "c1 outcome/m0.0 outcome",
        "r1 budget/1 budget",
        "r1 m1.0 tool",
      ]);
      await sendSignal(store, "c1", approvalDecided("m1.0", "reject", "maria"));
      await sendSignal(store, "c1", {
        type: "OUTCOME_DECIDED",
        payload: { toolCallId: "m0.0", verdict: "fail", by: "maria" },
      });
      await sendSignal(
        store,
        "r1",
        approvalDecided("budget/1", "approve", "maria", { limits: { maxCost: 5 } }),
      );
      await opened.reopen();
      expect(await open({ run: "c1" })).toEqual(["c1 m1.1 tool"]);
      expect(await open({ root: "c1" })).toEqual([]);
      await opened.store.runs.cancel("c1", { by: "maria" });
      expect(await open()).toEqual(["r1 m1.0 tool"]);
      await (await acquireRun(opened.store, "r1")).append([runEnded("RUN_FAILED")]);
      expect(await open()).toEqual([]);
    });

    scenario(
      "an approval with scope `always` gives a standing grant until it is revoked; a refusal gives none",
      async (opened) => {
        const { store } = opened;
        await admit(store, "r1");
        const grant = { scope: "always", grant: "Bash(npm test)" } as const;
        await sendSignal(
          store,
          "r1",
          approvalDecided("m1.0", "approve", "maria", { ...grant, until: 9.5, folder: "/w" }),
        );
        await sendSignal(
          store,
          "r1",
          approvalDecided("m1.1", "approve", "maria", { ...grant, scope: "run" }),
        );
        await sendSignal(store, "r1", approvalDecided("m1.2", "reject", "maria", grant));
        await sendSignal(store, "r1", approvalDecided("m1.3", "expire", "system", grant));
        const next = await opened.reopen();
        const [only, ...more] = await next.inbox.grants();
        expect(only).toMatchObject({
          rule: "Bash(npm test)",
          by: "maria",
          runId: "r1",
          until: 10,
          folder: "/w",
        });
        expect(more).toEqual([]);
        expect([await next.inbox.revokeGrant(only!.id), await next.inbox.revokeGrant(only!.id)]).toEqual([
          true,
          false,
        ]);
        expect(await next.inbox.grants()).toEqual([]);
      },
    );
  });

  describe("[B2] budgets", () => {
    const asks = (
      tokens: number,
      more: Partial<NonNullable<Append["reserve"]>> = {},
      cost: number | null = null,
    ) => ({
      guard: "signals" as const,
      reserve: { estimate: { tokens, cost }, run: {}, tree: {}, ...more },
    });
    const begins = (callId: string, tokens: number, cost: number | null = null) => [
      modelCallStarted(callId, { estimate: { tokens, cost } }),
    ];

    scenario(
      "[B2] a call that exceeds the run's budget is refused; a budget of zero allows no call",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        expect((await driver.append(begins("m1", 1), asks(1, { run: { maxTokens: 0 } }))).refused).toBe(
          "budget",
        );
        expect(
          (await driver.append(begins("m1", 0, 0.01), asks(0, { run: { maxCost: 0 } }, 0.01))).refused,
        ).toBe("budget");
        expect(
          (await driver.append(begins("m1", 30), asks(30, { run: { maxTokens: 30 } }))).refused,
        ).toBeUndefined();
        await driver.append([agentThought("m1")]);
        expect((await driver.append(begins("m2", 16), asks(16, { run: { maxTokens: 30 } }))).refused).toBe(
          "budget",
        );
        expect(
          (await driver.append(begins("m2", 15), asks(15, { run: { maxTokens: 30 } }))).refused,
        ).toBeUndefined();
      },
    );

    scenario(
      "[B2] [F25] siblings that reserve budget in one commit see each other's reservations",
      async ({ store }) => {
        await admit(store, "r1");
        const children = ["c1", "c2", "c3", "c4", "c5"];
        const drivers = await Promise.all(
          children.map(async (id) => acquireRun(store, await admitChild(store, id, "r1", "r1"))),
        );
        const tree = { tree: { maxTokens: 100 } };
        const answers = await Promise.all(
          drivers.map((driver) => driver.append(begins("m1", 40), asks(40, tree))),
        );
        expect(answers.map(({ refused }) => refused)).toEqual([
          undefined,
          undefined,
          "reserved",
          "reserved",
          "reserved",
        ]);
        await drivers[0]!.append([agentThought("m1", { usage: { input: 10, output: 5 } })]);
        expect((await drivers[2]!.append(begins("m1", 40), asks(40, tree))).refused).toBeUndefined();
        await drivers[1]!.append([agentThought("m1", { usage: { input: 50, output: 20 } })]);
        expect((await drivers[3]!.append(begins("m1", 40), asks(40, tree))).refused).toBe("budget");
      },
    );

    scenario(
      "[B2] a reservation is freed by an outcome, by a failed attempt, and by the end of the run",
      async (opened) => {
        const { store } = opened;
        await admit(store, "r1");
        const tree = { tree: { maxTokens: 100, maxCost: 1 } };
        await admitChild(store, "c1", "r1", "r1");
        await admitChild(store, "c2", "r1", "r1");
        const [one, two] = [await acquireRun(store, "c1"), await acquireRun(store, "c2")];
        await one.append(begins("m1", 90, 0.9), asks(90, tree, 0.9));
        expect((await two.append(begins("m1", 0, 0.2), asks(0, tree, 0.2))).refused).toBe("reserved");
        await one.append([modelCallFailed("m1")]);
        expect((await two.append(begins("m1", 90, 0.2), asks(90, tree, 0.2))).refused).toBeUndefined();
        expect((await one.append(begins("m2", 20), asks(20, tree))).refused).toBe("reserved");
        await two.append([runEnded("RUN_FAILED")]);
        expect((await one.append(begins("m2", 20), asks(20, tree))).refused).toBeUndefined();
      },
    );

    scenario("[B2] reservations survive a restart", async (opened) => {
      await admit(opened.store, "r1");
      await admitChild(opened.store, "c1", "r1", "r1");
      const tree = { tree: { maxTokens: 100 } };
      await (await acquireRun(opened.store, "r1")).append(begins("m1", 90), asks(90, tree));
      const store = await opened.reopen();
      expect((await (await acquireRun(store, "c1")).append(begins("m1", 20), asks(20, tree))).refused).toBe(
        "reserved",
      );
    });
  });

  describe("[P10] live readers", () => {
    scenario(
      "[P10] [F47] a live reader gets concurrent appends in order, without gaps or repeats",
      async ({ store }) => {
        await Promise.all(["r1", "r2"].map((runId) => admit(store, runId)));
        // The option `after` is the last event that a reader has read. The reader gets only later events.
        const add = (runId: string, id: string, after: number) =>
          store.journal.append({ runId, after, events: [contextAdded(id)] });
        await Promise.all(Array.from({ length: 700 }, (_, i) => add("r1", `before${i}`, 1 + i)));
        const total = 702 + 600;
        const readers = [0, 0, 350, 702].map((after) => collect(store, after, total));
        const ofRun = collect(store, 0, total, { run: "r2" }, 301);
        for (let i = 0; i < 300; i++) {
          await Promise.all([add("r1", `a${i}`, 701 + i), add("r2", `a${i}`, 1 + i)]);
        }
        const seen = await Promise.all(readers);
        for (const [index, after] of [0, 0, 350, 702].entries()) {
          expect(seen[index]?.map(({ position }) => position)).toEqual(
            Array.from({ length: total - after }, (_, i) => after + i + 1),
          );
        }
        expect((await ofRun).map(({ seq }) => seq)).toEqual(Array.from({ length: 301 }, (_, i) => i + 1));
      },
    );

    scenario("[P10] a tree is read as one stream", async ({ store }) => {
      await admit(store, "r1");
      await admit(store, "r2");
      await admitChild(store, "c1", "r1", "r1");
      await sendSignal(store, "r2", contextAdded("x"));
      await sendSignal(store, "c1", contextAdded("x"));
      const tree = await store.journal.readAll(0, 10, { root: "r1" });
      expect(tree.map(({ runId, position }) => `${position} ${runId}`)).toEqual(["1 r1", "3 c1", "5 c1"]);
      expect(await store.journal.readAll(3, 10, { run: "r2" })).toMatchObject([{ position: 4 }]);
    });

    scenario(
      "listeners are notified once of each commit, with its events, and can then read these events",
      async ({ store }) => {
        const commits: JournalEvent[][] = [];
        const readable: Promise<JournalEvent[]>[] = [];
        const stop = store.journal.onCommit((events) => {
          commits.push([...events]);
          readable.push(store.journal.readAll(0, 100));
        });
        await admit(store, "r1");
        await sendSignal(store, "r1", contextAdded("x"), contextAdded("y"));
        await sendSignal(store, "r1", contextAdded("x"), contextAdded("y"));
        stop();
        await sendSignal(store, "r1", contextAdded("z"));
        expect(commits.flat().map(({ key }) => key)).toEqual(["start", "context/x", "context/y"]);
        expect(commits.map(({ length }) => length)).toEqual([1, 2]);
        // The answer of a database server takes longer, so it can already include newer events.
        for (const [index, page] of (await Promise.all(readable)).entries())
          expect(page).toEqual(expect.arrayContaining(commits[index]!));
        expect(commits.flat()).toEqual((await store.journal.read("r1")).slice(0, 3));
      },
    );
  });

  scenario("a store that closes writes every accepted append and refuses new ones", async (opened) => {
    const { store } = opened;
    await admit(store, "r1");
    const driver = await acquireRun(store, "r1");
    const last = driver.append([toolStarted("m0.0"), toolResult("m0.0")]);
    const next = await opened.reopen();
    await last;
    expect(await next.journal.read("r1")).toHaveLength(3);
    await expect(sendSignal(store, "r1", contextAdded("x"))).rejects.toMatchObject({
      code: "STORAGE_UNUSABLE",
    });
  });
}

async function readInPages(store: Store, size: number): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  for (;;) {
    const page = await store.journal.read("r1", all.length, size);
    all.push(...page);
    if (page.length < size) return all;
  }
}

/** Follows the journals until `position` is reached or `count` events have arrived. */
async function collect(
  store: Store,
  after: number,
  position: number,
  of: { run?: string; root?: string } = {},
  count = Number.POSITIVE_INFINITY,
): Promise<JournalEvent[]> {
  const seen: JournalEvent[] = [];
  for await (const page of follow(store, { after, of, signal: new AbortController().signal })) {
    expect(page.length).toBeGreaterThan(0);
    seen.push(...page);
    if (seen.length >= count || page.at(-1)!.position >= position) break;
  }
  return seen;
}
