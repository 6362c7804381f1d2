import { expect, test } from "vitest";
import { z } from "zod";
import {
  charge,
  delegate,
  payloadsOf,
  roles,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { AppendResult } from "../../stores/store.ts";
import { defineTool } from "../../tools/tool.ts";
import { sendMessage } from "../commands/messages.ts";
import { cancelRun, decideApproval } from "../commands/person-commands.ts";

/** The largest number of runs that worked at the same time, according to their journals. */
function watchWork(world: World): () => number {
  const working = new Set<string>();
  let most = 0;
  world.runtime.store.journal.onCommit((events) => {
    for (const { type, runId } of events) {
      if (type === "MODEL_CALL_STARTED" || type === "TOOL_STARTED") working.add(runId);
      if (RESTS.has(type)) working.delete(runId);
      most = Math.max(most, working.size);
    }
  });
  return () => most;
}

const RESTS: ReadonlySet<string> = new Set(["RUN_SUSPENDED", "RUN_COMPLETED", "RUN_FAILED", "RUN_CANCELLED"]);

const queueings = (events: readonly JournalEvent[]): number =>
  payloadsOf(events, "RUN_SUSPENDED").filter(({ waitingOn }) => waitingOn.kind === "slot").length;

/** A tool whose call resolves `begun` when it starts, and lasts until the test calls `release`. */
function heldTool() {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "hold",
    description: "Takes a while.",
    input: z.object({}),
    effect: "read",
    reaches: [],
    async execute() {
      begun.resolve();
      await released.promise;
      return { output: "held" };
    },
  });
  return { tool, begun: begun.promise, release: () => released.resolve() };
}

const hold = { calls: [{ tool: "hold", input: {} }] };

const whileStarting = heldTool();
scenario(
  "[B4] [S1-69] root runs beyond the limit wait in a queue: each run records its wait once, and the runs start in order",
  {
    config: "concurrency: 2",
    tools: [whileStarting.tool],
    script: ({ turn }) => (turn === 1 ? hold : { text: "done" }),
  },
  async (world) => {
    const most = watchWork(world);
    const runIds: string[] = [];
    for (let count = 0; count < 9; count++) {
      const runId = await world.run(`task ${count}`);
      runIds.push(runId);
      await world.seen(runId, count < 2 ? "TOOL_STARTED" : "RUN_SUSPENDED");
    }
    whileStarting.release();
    const ends = await Promise.all(runIds.map((runId) => world.settled(runId)));
    expect(ends.map(({ end }) => end?.status)).toEqual(runIds.map(() => "completed"));
    expect(most()).toBe(2);
    const journals = await Promise.all(runIds.map((runId) => world.events(runId)));
    expect(journals.map(queueings), "not again for every time that it asked").toEqual(
      runIds.map((_, index) => (index < 2 ? 0 : 1)),
    );
    const begun = journals.map(
      (events) => events.find(({ type }) => type === "MODEL_CALL_STARTED")!.position,
    );
    expect(begun).toEqual(begun.toSorted((left, right) => left - right));
  },
);

scenario(
  "[B4] several trees end although they share one slot: a resumed run queues, and no run waits for ever",
  {
    config: "concurrency: 1",
    agent:
      "agents: [coder]\ntools: [look]\ndelegation: { mode: parallel, maxParallel: 3, onFailure: return }",
    cast: { coder: "agents: [helper]", helper: "" },
    script: roles({
      tester: turns(
        { calls: [delegate("coder", "a"), delegate("coder", "b")] },
        { calls: [delegate("coder", "c"), { tool: "look", input: { what: "x" } }] },
      ),
      coder: turns({ calls: [delegate("helper")] }),
    }),
  },
  async (world) => {
    const most = watchWork(world);
    const runIds = [await world.run("one"), await world.run("two"), await world.run("three")];
    for (const runId of runIds) {
      expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "done" });
      const refused = payloadsOf(await world.events(runId), "TOOL_RESULT").filter(
        ({ outcome }) => outcome === "denied",
      );
      expect(refused.map(({ output }) => output)).toEqual([
        "Limit: 1 agents are at work in this workspace, which is the limit. Ask again when one is done.",
      ]);
    }
    expect(most()).toBe(1);
  },
);

const whileHeld = heldTool();
scenario(
  "[B4] [P7] a queued run ends immediately when it is cancelled, and a message does not change its place in the queue",
  {
    config: "concurrency: 1",
    tools: [whileHeld.tool],
    script: ({ turn, task }) => (task === "hold" && turn === 1 ? hold : { text: `${task} is done` }),
  },
  async (world) => {
    const { people, store } = world.runtime;
    const holder = await world.run("hold");
    await whileHeld.begun;
    const first = await world.run("first");
    await world.seen(first, "RUN_SUSPENDED");
    const second = await world.run("second");
    await world.seen(second, "RUN_SUSPENDED");
    expect(await store.runs.get(second)).toMatchObject({ status: "waiting", waitingOn: { kind: "slot" } });
    await cancelRun(first, "ann", undefined, people);
    expect((await world.settled(first)).end).toMatchObject({ status: "cancelled" });
    expect(typesOf(await world.events(first))).toEqual([
      "RUN_STARTED",
      "RUN_SUSPENDED",
      "CANCEL_REQUESTED",
      "RUN_CANCELLED",
    ]);
    const third = await world.run("third");
    await world.seen(third, "RUN_SUSPENDED");
    await sendMessage(second, "and this", "ann", people);
    whileHeld.release();
    for (const runId of [holder, second, third]) await world.settled(runId);
    const [before, after] = await Promise.all(
      [second, third].map((runId) => world.seen(runId, "MODEL_CALL_STARTED")),
    );
    expect(before!.position).toBeLessThan(after!.position);
  },
);

scenario(
  "[B4] when a person resumes a run, it queues behind the runs at work",
  {
    idle: true,
    config: "concurrency: 1\npermissions: { ask: [charge] }",
    script: ({ turn, task }) =>
      task === "asks" && turn === 1 ? { calls: [charge("a")] } : { text: `${task} is done` },
    intercept: async (append, send) => {
      const answer = await send();
      if (append.runId === working && append.events.some(({ type }) => type === "MODEL_CALL_STARTED"))
        await meanwhile();
      return answer;
    },
  },
  async (world) => {
    const asks = await world.run("asks");
    expect(await world.drive(asks)).toMatchObject({ status: "suspended" });
    working = await world.run("works");
    meanwhile = async () => {
      await decideApproval(`${asks}:m1.0`, { decision: "approve" }, "ann", world.runtime.people);
      expect(await world.drive(asks)).toMatchObject({ status: "waiting", waitingOn: { kind: "slot" } });
    };
    expect((await world.drive(working)).end).toMatchObject({ status: "completed" });
    expect((await world.drive(asks)).end).toMatchObject({ status: "completed", summary: "asks is done" });
  },
);
let working = "";
let meanwhile = async (): Promise<void> => {};

const crashClock = fakeClock();
type Crash = (types: string[], send: () => Promise<AppendResult>) => Promise<AppendResult>;
let crash: Crash = (_, send) => send();
for (const when of ["before", "after"] as const) {
  scenario(
    `[B4] [F01] a kill ${when} a queued run's event is written loses no slot, and every run ends`,
    {
      idle: true,
      clock: crashClock,
      config: "concurrency: 1",
      script: ({ task }) => ({ text: `${task} is done` }),
      intercept: (append, send) =>
        crash(
          append.events.map(({ type }) => type),
          send,
        ),
    },
    async (world) => {
      const dies = (dieAt: string, when: "before" | "after") => {
        crash = async (types, send) => {
          if (!types.includes(dieAt)) return send();
          if (when === "after") await send();
          world.die();
          return new Promise(() => {});
        };
      };
      const runIds = [await world.run("one"), await world.run("two")];
      dies("MODEL_CALL_STARTED", "after");
      await Promise.race([world.dead(), world.drive(runIds[0]!)]);
      await world.restart({
        intercept: (append, send) =>
          crash(
            append.events.map(({ type }) => type),
            send,
          ),
      });
      dies("RUN_SUSPENDED", when);
      await Promise.race([world.dead(), world.drive(runIds[1]!)]);
      await world.restart();
      crashClock.advance(1_000);
      expect(await world.drive(runIds[1]!), "the place is kept for who was at work").toMatchObject({
        status: "waiting",
        waitingOn: { kind: "slot" },
      });
      expect((await world.drive(runIds[0]!)).end).toMatchObject({ summary: "one is done" });
      expect((await world.drive(runIds[1]!)).end).toMatchObject({ summary: "two is done" });
      expect(queueings(await world.events(runIds[1]!))).toBe(1);
    },
  );
}

// This is a plain test, because `scenario` would check every journal, and this version cannot read the journal of a newer one.
test("[B4] [E9] a run that only a newer version of Cadre can drive takes no slot", async () => {
  const { tool, begun, release } = heldTool();
  const world = await makeWorld({
    config: "concurrency: 1",
    tools: [tool],
    script: ({ task }) => (task === "newer" ? hold : { text: "done" }),
  });
  try {
    const newer = await world.run("newer");
    await begun;
    const payload = { v: 2, id: "note", source: "person", text: "As a newer version writes it." } as const;
    const events = [{ type: "CONTEXT_ADDED", payload }] as const;
    await world.runtime.store.journal.append({
      runId: newer,
      after: Number.MAX_SAFE_INTEGER,
      events: [...events],
    });
    release();
    const other = await world.run("other");
    expect((await world.settled(other)).end?.status).toBe("completed");
  } finally {
    await world.close();
  }
});
