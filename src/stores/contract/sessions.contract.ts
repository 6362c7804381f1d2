// Lists of sessions, messages to a session, and totals of the whole store.

import { expect } from "vitest";
import type { EventOf } from "../../journal/events.ts";
import type { Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  modelCallStarted,
  type Open,
  runEnded,
  scenarios,
  startPayload,
} from "./kit.contract.ts";

export function sessionsContract(open: Open): void {
  const scenario = scenarios(open);

  scenario("sessions are listed by their latest run, in pages", async ({ store }) => {
    await admit(store, "alone");
    for (const [runId, sessionId] of Object.entries({ r1: "a", r2: "b", r3: "a", r4: "c" }))
      await admit(store, runId, { sessionId });
    const first = await store.runs.sessions({ limit: 2 });
    expect(first.sessions.map(({ id, runs, last }) => [id, runs, last.id])).toEqual([
      ["c", 1, "r4"],
      ["a", 2, "r3"],
    ]);
    expect(first.sessions[1]!.last).toEqual(await store.runs.get("r3"));
    const second = await store.runs.sessions({ limit: 2, cursor: first.nextCursor! });
    expect(second).toMatchObject({ sessions: [{ id: "b" }], nextCursor: undefined });
  });

  scenario(
    "[28.17] [S4-4] a session names its main agent, even if a child or an agent that got a message started later",
    async ({ store }) => {
      await admit(store, "r1", { sessionId: "a", agent: "boss" });
      const child = { rootRunId: "r1", parentRunId: "r1", trigger: "delegation", depth: 1 } as const;
      await admit(store, "c1", { sessionId: "a", agent: "worker", ...child });
      await admit(store, "m1", { sessionId: "a", agent: "other", trigger: "message", budgetRunId: "r1" });
      const { sessions } = await store.runs.sessions({});
      expect(sessions.map(({ id, runs, last }) => [id, runs, last.agent])).toEqual([["a", 3, "boss"]]);
    },
  );

  scenario(
    "[F50] a message with an idempotency key is delivered once, even if it is sent again after later runs",
    async ({ store }) => {
      const first = await say(store, "r1", "hello", "k1");
      expect(first).toEqual({ runId: "r1", joined: false });
      expect(await say(store, "r2", "hello", "k1")).toEqual(first);
      const joined = await say(store, "r3", "and hurry", "k2");
      expect(joined).toEqual({ runId: "r1", joined: true });
      await (await acquireRun(store, "r1")).append([runEnded()]);
      expect(await say(store, "r4", "bye", "k3")).toEqual({ runId: "r4", joined: false });
      expect(
        await say(store, "r5", "and hurry", "k2"),
        "although a later run is the last of the session",
      ).toEqual(joined);
      await expect(say(store, "r6", "something else", "k1")).rejects.toMatchObject({ code: "UNPROCESSABLE" });
      expect((await store.runs.list({})).runs.map(({ id }) => id)).toEqual(["r4", "r1"]);
    },
  );

  scenario("[J11] a message to a session goes to the run that has taken over the work", async ({ store }) => {
    await say(store, "r1", "hello", "k1");
    await admit(store, "c1", { rootRunId: "r1", parentRunId: "r1", trigger: "delegation", depth: 1 });
    await admit(store, "c2", { rootRunId: "r1", parentRunId: "r1", trigger: "route" });
    await admit(store, "c3", { rootRunId: "r1", parentRunId: "c2", trigger: "handoff" });
    for (let i = 0; i < 2; i++)
      expect(await say(store, "r2", "and hurry", "k2")).toEqual({ runId: "c3", joined: true });
    expect((await store.journal.read("c3")).map(({ key }) => key)).toEqual(["start", "context/key/k2"]);
    await (await acquireRun(store, "c3")).append([runEnded()]);
    expect(await say(store, "r3", "still there?", "k3")).toEqual({ runId: "c2", joined: true });
  });

  scenario(
    "a new run continues its agent's last run in the same session, if that last run has ended",
    async ({ store }) => {
      for (const runId of ["r1", "r2"]) await admit(store, runId, { sessionId: "s1" });
      for (const runId of ["r1", "r2"]) await (await acquireRun(store, runId)).append([runEnded()]);
      await admit(store, "r3", { sessionId: "s1" });
      await admit(store, "r4", { sessionId: "s1", agent: "another" });
      const continuedRun = async (runId: string) => {
        const [start] = (await store.journal.read(runId)) as [EventOf<"RUN_STARTED">];
        return start.payload.continues?.runId;
      };
      expect(await Promise.all(["r2", "r3", "r4"].map(continuedRun))).toEqual([undefined, "r2", undefined]);
    },
  );

  scenario("the totals of a store add up the rows of its runs", async ({ store }) => {
    for (const runId of ["r1", "r2", "r3"]) await admit(store, runId);
    const driver = await acquireRun(store, "r1");
    await driver.append([modelCallStarted("m1")]);
    await driver.append([agentThought("m1"), runEnded()]);
    expect(await store.usage.totals()).toEqual({
      runs: { completed: 1, pending: 2 },
      approvals: 0,
      modelCalls: 1,
      toolCalls: 0,
      input: 10,
      output: 5,
      cost: 0.25,
      bytes: expect.any(Number),
    });
  });
}

function say(store: Store, runId: string, text: string, key: string) {
  const { payload } = contextAdded(`key/${key}`, text);
  return store.runs.say({
    sessionId: "s1",
    agent: "coder",
    context: payload as Parameters<Store["runs"]["say"]>[0]["context"],
    runId,
    start: startPayload({ rootRunId: runId, sessionId: "s1", task: text }),
    idempotency: { key, body: text },
  });
}
