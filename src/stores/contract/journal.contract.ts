// The contract of a journal: one order of events, one event per key, no lost outcome, and unchanged bytes.

import { describe, expect } from "vitest";
import {
  acquireRun,
  admit,
  agentThought,
  approvalDecided,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  type Open,
  readEverything,
  runEnded,
  scenarios,
  sendSignal,
  startPayload,
  toolProposed,
  toolResult,
  toolStarted,
} from "./kit.contract.ts";

const NASTY = 'lone \ud800 and \udc00, nul \u0000, "quotes", \u2028, 👩‍👩‍👧';

export function journalContract(open: Open): void {
  const scenario = scenarios(open);

  describe("order of events and keys", () => {
    scenario("[P1] [I1] the next process reads every acknowledged event", async (opened) => {
      await admit(opened.store, "r1");
      const driver = await acquireRun(opened.store, "r1");
      await driver.append([modelCallStarted("m1")]);
      await driver.append([agentThought("m1")]);
      const before = await opened.store.journal.read("r1");
      const { id } = opened.store;
      const store = await opened.reopen();
      expect(store.id).toBe(id);
      expect(await store.journal.read("r1")).toEqual(before);
      expect(before.map(({ type }) => type)).toEqual(["RUN_STARTED", "MODEL_CALL_STARTED", "AGENT_THOUGHT"]);
    });

    scenario("[P2] [J8] concurrent appends get dense seqs and positions", async ({ store }) => {
      const runs = ["r1", "r2", "r3"];
      await Promise.all(runs.map((runId) => admit(store, runId)));
      await Promise.all(
        Array.from({ length: 90 }, (_, i) =>
          sendSignal(store, runs[i % 3]!, contextAdded(`c${i}`), contextAdded(`d${i}`)),
        ),
      );
      for (const runId of runs) {
        expect((await store.journal.read(runId)).map(({ seq }) => seq)).toEqual(
          Array.from({ length: 61 }, (_, i) => i + 1),
        );
      }
      expect((await readEverything(store)).map(({ position }) => position)).toEqual(
        Array.from({ length: 183 }, (_, i) => i + 1),
      );
    });

    scenario(
      "[P2] the hash of a journal's head changes with every event and with its content",
      async ({ store }) => {
        await admit(store, "r1");
        await admit(store, "r2");
        await sendSignal(store, "r1", contextAdded("a", "yes"));
        await sendSignal(store, "r2", contextAdded("a", "no"));
        const heads = [await store.journal.head("r1"), await store.journal.head("r2")];
        expect(heads.map((head) => head?.seq)).toEqual([2, 2]);
        expect(heads[0]?.hash).not.toBe(heads[1]?.hash);
        expect(await store.journal.head("none")).toBeUndefined();
      },
    );

    scenario("[J1] a repeated append writes nothing and returns the stored events", async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      const events = [modelCallStarted("m1"), contextAdded("x")];
      const first = await store.journal.append({ runId: "r1", writer: driver.writer, after: 1, events });
      const again = await store.journal.append({ runId: "r1", writer: driver.writer, after: 1, events });
      expect(again).toEqual(first);
      expect(again.refused).toBeUndefined();
    });

    scenario(
      "[J1] an event that is appended several times in one commit is stored once",
      async ({ store }) => {
        await admit(store, "r1");
        const answers = await Promise.all([1, 2, 3].map(() => sendSignal(store, "r1", contextAdded("x"))));
        expect(answers.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined]);
        expect(await store.journal.read("r1")).toHaveLength(2);
      },
    );

    scenario(
      "[J1] an append that reuses a key for a different payload is refused, and none of its events are stored",
      async ({ store }) => {
        await admit(store, "r1");
        await sendSignal(store, "r1", contextAdded("x", "one"));
        const other = await sendSignal(store, "r1", contextAdded("y"), contextAdded("x", "two"));
        expect(other.refused).toBe("conflict");
        expect(other.events.map(({ key }) => key)).toEqual(["start", "context/x"]);
        const twice = await sendSignal(store, "r1", contextAdded("z", "one"), contextAdded("z", "two"));
        expect(twice.refused).toBe("conflict");
        expect(await store.journal.read("r1")).toHaveLength(2);
      },
    );

    scenario("[J1] the store checks keys before it checks signals and the end of the run", async (opened) => {
      const { store } = opened;
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      const intent = {
        runId: "r1",
        writer: driver.writer,
        after: 1,
        events: [modelCallStarted("m1")],
        guard: "signals",
      } as const;
      await store.journal.append({ ...intent, events: [...intent.events] });
      await sendSignal(store, "r1", contextAdded("x"));
      const again = await store.journal.append({ ...intent, events: [...intent.events] });
      expect(again.refused).toBeUndefined();
      expect(again.events.map(({ key }) => key)).toEqual(["m1/s", "context/x"]);

      await driver.append([agentThought("m1")]);
      await driver.append([runEnded()]);
      expect((await driver.append([runEnded()])).refused).toBeUndefined();
      expect((await sendSignal(store, "r1", contextAdded("x"))).refused).toBeUndefined();
      expect((await driver.append([runEnded("RUN_FAILED")])).refused).toBe("conflict");
      const late = await store.journal.append({ ...intent, events: [...intent.events] });
      expect(late.refused, "[L4] a driver that lost the run must not learn that its intent is stored").toBe(
        "ended",
      );
    });

    scenario(
      "[J1] [J10] a run that is admitted twice starts once; a different run with the same id is refused, and other runs are not affected",
      async ({ store }) => {
        const child = startPayload({ rootRunId: "r1", parentRunId: "r1" });
        await admit(store, "r1");
        const both = await Promise.all([store.runs.start("c1", child), store.runs.start("c1", child)]);
        expect(both).toEqual([
          { runId: "c1", existed: false },
          { runId: "c1", existed: true },
        ]);
        const [conflict, other] = await Promise.allSettled([
          store.runs.start("c1", { ...child, task: "something else" }),
          store.runs.start("c2", child),
        ]);
        expect(conflict).toMatchObject({ status: "rejected", reason: { code: "CONFLICT" } });
        expect(other).toMatchObject({ status: "fulfilled", value: { existed: false } });
        expect(await store.journal.read("c1")).toHaveLength(1);
      },
    );

    scenario("[P9] an append to an unknown run fails without affecting other appends", async ({ store }) => {
      await admit(store, "r1");
      const answers = await Promise.allSettled([
        sendSignal(store, "r1", contextAdded("a")),
        sendSignal(store, "r9", contextAdded("b")),
        sendSignal(store, "r1", contextAdded("c")),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(answers[1]).toMatchObject({ reason: { code: "NOT_FOUND" } });
      expect(await store.journal.read("r1")).toHaveLength(3);
    });

    scenario("[P9] the store accepts fractional token counts and times", async ({ store, clock }) => {
      await admit(store, "r1");
      await admit(store, "r2");
      const driver = await acquireRun(store, "r1");
      const odd = agentThought("m1", { usage: { input: 0.5, output: 0.25 }, cost: 0.1 });
      await driver.append([modelCallStarted("m1", { estimate: { tokens: 1.5, cost: null } })]);
      const answers = await Promise.allSettled([
        driver.append([odd], { rest: { wakeAt: clock.now() + 10.5 } }),
        sendSignal(store, "r2", contextAdded("a")),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
      expect(await store.leases.nextDue()).toBe(0);
      await acquireRun(store, "r2");
      expect(await store.leases.nextDue()).toBe(clock.now() + 11);
    });
  });

  describe("signals, outcomes and the end of a run", () => {
    scenario("[J2] an intent is refused after a signal that its driver has not folded", async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await sendSignal(store, "r1", contextAdded("x"));
      const refused = await driver.append([modelCallStarted("m1")], { guard: "signals" });
      expect(refused.refused).toBe("signals");
      expect(refused.events.map(({ key }) => key)).toEqual(["context/x"]);
      const then = await driver.append([modelCallStarted("m1")], { guard: "signals" });
      expect(then.refused).toBeUndefined();
      expect(then.events.map(({ key }) => key)).toEqual(["m1/s"]);
    });

    scenario("[J2] a driver's own appends are never signals", async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await driver.append([contextAdded("told")]);
      const behind = { runId: "r1", writer: driver.writer, after: 1 };
      const answer = await store.journal.append({
        ...behind,
        events: [modelCallStarted("m1")],
        guard: "signals",
      });
      expect(answer.refused).toBeUndefined();
      expect(answer.events.map(({ key }) => key)).toEqual(["context/told", "m1/s"]);
    });

    scenario("[J2] an append guarded by `unchanged` is refused after any newer event", async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await driver.append([modelCallStarted("m1")]);
      const late = await store.journal.append({
        runId: "r1",
        after: 1,
        events: [contextAdded("x")],
        guard: "unchanged",
      });
      expect(late.refused).toBe("changed");
      const now = await store.journal.append({
        runId: "r1",
        after: 2,
        events: [contextAdded("x")],
        guard: "unchanged",
      });
      expect(now.refused).toBeUndefined();
    });

    scenario(
      "[J4] each append of a commit sees the earlier appends of the same commit",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        const from = { runId: "r1", writer: driver.writer, after: 1 };
        const [outcome, cancel, intent] = await Promise.all([
          store.journal.append({ ...from, events: [modelCallStarted("m1"), agentThought("m1")] }),
          store.runs.cancel("r1", { by: "maria" }),
          store.journal.append({ ...from, events: [toolStarted("m1.0")], guard: "signals" }),
        ]);
        expect(outcome.refused).toBeUndefined();
        expect(cancel).toEqual(["r1"]);
        expect(intent.refused).toBe("signals");
        expect(intent.events.map(({ key }) => key)).toEqual(["m1/s", "m1/e", "cancel"]);
      },
    );

    scenario(
      "[J3] a driver with a stale lease starts nothing new; its outcomes are stored as signals",
      async ({ store, clock }) => {
        await admit(store, "r1");
        const old = await acquireRun(store, "r1", "w1");
        await old.append([modelCallStarted("m1"), toolStarted("m0.0")]);
        clock.advance(60_000);
        const next = await acquireRun(store, "r1", "w2");
        expect((await old.append([toolStarted("m0.1")])).refused).toBe("epoch");
        expect((await old.append([contextAdded("x")])).refused).toBe("epoch");
        expect((await old.append([agentThought("m1"), toolStarted("m1.0")])).refused).toBe("epoch");
        expect((await old.append([agentThought("m1")])).refused).toBeUndefined();
        expect((await next.append([toolStarted("m0.1")], { guard: "signals" })).refused).toBe("signals");
        expect((await next.append([toolStarted("m0.1")], { guard: "signals" })).refused).toBeUndefined();
      },
    );

    scenario(
      "[J3] an outcome is refused if its intent is missing or its call is no longer open",
      async ({ store, clock }) => {
        await admit(store, "r1");
        const old = await acquireRun(store, "r1", "w1");
        await old.append([
          modelCallStarted("m1"),
          modelCallFailed("m1"),
          modelCallStarted("m1", { attempt: 2 }),
        ]);
        await old.append([toolStarted("m0.0"), toolStarted("m0.1")]);
        clock.advance(60_000);
        const next = await acquireRun(store, "r1", "w2");
        await next.append([modelCallFailed("m1", { attempt: 2 })]);
        await sendSignal(store, "r1", {
          type: "OUTCOME_DECIDED",
          payload: { toolCallId: "m0.1", verdict: "fail", by: "maria" },
        });
        expect((await old.append([agentThought("m1", { attempt: 2 })])).refused).toBe("closed");
        expect((await old.append([agentThought("m7")])).refused).toBe("closed");
        expect((await old.append([toolResult("m0.0", "x", 2)])).refused).toBe("closed");
        expect((await old.append([toolResult("m0.1")])).refused).toBe("closed");
        expect((await old.append([toolResult("m0.0")])).refused).toBeUndefined();
      },
    );

    scenario(
      "[J3] [I6] nothing is appended to a run that has ended, not even a late outcome",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        await driver.append([toolStarted("m0.0")]);
        await driver.append([runEnded("RUN_CANCELLED")]);
        expect((await driver.append([toolResult("m0.0")])).refused).toBe("ended");
        expect((await sendSignal(store, "r1", contextAdded("x"))).refused).toBe("ended");
        expect(await store.runs.cancel("r1", { by: "maria" })).toEqual([]);
        expect(await store.journal.read("r1")).toHaveLength(3);
      },
    );

    scenario(
      "[I6] [F23] if one commit contains a run's end and a cancel, the cancel is not written after the end",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        const [end, reached] = await Promise.all([
          driver.append([runEnded()], { guard: "signals" }),
          store.runs.cancel("r1", { by: "maria" }),
        ]);
        expect(end.refused).toBeUndefined();
        expect(reached).toEqual([]);
      },
    );

    scenario(
      "[P5] [F13] when two decisions race, one is stored, and the losing writer gets the stored decision",
      async ({ store }) => {
        await admit(store, "r1");
        const driver = await acquireRun(store, "r1");
        await driver.append([toolProposed("m1.0")]);
        const answers = await Promise.all([
          sendSignal(store, "r1", approvalDecided("m1.0", "approve", "maria")),
          sendSignal(store, "r1", approvalDecided("m1.0", "reject", "jon")),
          sendSignal(store, "r1", approvalDecided("m1.0", "approve", "maria")),
        ]);
        expect(answers.map(({ refused }) => refused)).toEqual([undefined, "conflict", undefined]);
        expect(answers[1]?.events.at(-1)).toMatchObject({ payload: { by: "maria", decision: "approve" } });
      },
    );
  });

  describe("stored bytes", () => {
    scenario(
      "[J9] [F42] the journal preserves lone surrogates, NUL characters and the order of keys",
      async (opened) => {
        const output = { z: NASTY, a: { [NASTY]: [NASTY, 0.1, -0.5e-300, 2 ** 53] } };
        await admit(opened.store, "r1", { task: NASTY, input: { NASTY } });
        const driver = await acquireRun(opened.store, "r1");
        await driver.append([toolStarted("m0.0"), toolResult("m0.0", output)]);
        await driver.append([runEnded("RUN_COMPLETED", NASTY)]);
        const store = await opened.reopen();
        const journal = await store.journal.read("r1");
        expect(journal[0]).toMatchObject({ payload: { task: NASTY } });
        expect(journal[2]).toMatchObject({ payload: { output } });
        expect(JSON.stringify(journal[2]?.payload)).toContain('"output":{"z":');
        expect(await store.runs.get("r1")).toMatchObject({ task: NASTY, summary: NASTY });
      },
    );

    scenario("[J9] an event of more than 2 MB is kept whole", async (opened) => {
      await admit(opened.store, "r1");
      const driver = await acquireRun(opened.store, "r1");
      const huge = `${"ä".repeat(2_500_000)}\ud800`;
      await driver.append([toolStarted("m0.0"), toolResult("m0.0", huge)]);
      const again = await driver.append([toolStarted("m0.0"), toolResult("m0.0", huge)]);
      expect(again.refused).toBeUndefined();
      const store = await opened.reopen();
      const [, , result] = await store.journal.read("r1");
      expect((result!.payload as { output: string }).output === huge).toBe(true);
      expect(await store.journal.readAll(2, 10)).toHaveLength(1);
    });

    scenario("[J9] blobs are named by the hash of their text", async (opened) => {
      const texts = ["", "a", NASTY, "\ufffd", "\ud800", "\udbff", "x".repeat(3_000_000)];
      const names = await Promise.all(texts.map((text) => opened.store.blobs.put(text)));
      expect(new Set(names).size).toBe(texts.length);
      expect(await opened.store.blobs.put("a")).toBe(names[1]);
      const store = await opened.reopen();
      for (const [index, text] of texts.entries())
        expect((await store.blobs.get(names[index]!)) === text).toBe(true);
      expect(await store.blobs.get("f".repeat(64))).toBeUndefined();
    });
  });
}
