// Sessions as a list, what is said in them once, and how much there is of everything.

import { expect } from "vitest";
import type { Store } from "../store.ts";
import {
  admit,
  callStarted,
  context,
  ended,
  type Open,
  scenarios,
  startOf,
  take,
  thought,
} from "./kit.contract.ts";

export function sessionsContract(open: Open): void {
  const scenario = scenarios(open);

  scenario("sessions are listed by their latest run, in pages", async ({ store }) => {
    await admit(store, "alone");
    for (const [runId, sessionId] of Object.entries({ r1: "a", r2: "b", r3: "a", r4: "c" }))
      await admit(store, runId, { sessionId });
    const first = await store.sessions({ limit: 2 });
    expect(first.sessions.map(({ id, runs, last }) => [id, runs, last.id])).toEqual([
      ["c", 1, "r4"],
      ["a", 2, "r3"],
    ]);
    expect(first.sessions[1]!.last).toEqual(await store.run("r3"));
    const second = await store.sessions({ limit: 2, cursor: first.nextCursor! });
    expect(second).toMatchObject({ sessions: [{ id: "b" }], nextCursor: undefined });
  });

  scenario("[F50] what is said under a key is said once, whatever came since", async ({ store }) => {
    const first = await say(store, "r1", "hello", "k1");
    expect(first).toEqual({ runId: "r1", joined: false });
    expect(await say(store, "r2", "hello", "k1")).toEqual(first);
    const joined = await say(store, "r3", "and hurry", "k2");
    expect(joined).toEqual({ runId: "r1", joined: true });
    await (await take(store, "r1")).append([ended()]);
    expect(await say(store, "r4", "bye", "k3")).toEqual({ runId: "r4", joined: false });
    expect(await say(store, "r5", "and hurry", "k2"), "although another run is the last by now").toEqual(
      joined,
    );
    await expect(say(store, "r6", "something else", "k1")).rejects.toMatchObject({ code: "UNPROCESSABLE" });
    expect((await store.runs({})).runs.map(({ id }) => id)).toEqual(["r4", "r1"]);
  });

  scenario("totals are those of the rows", async ({ store }) => {
    for (const runId of ["r1", "r2", "r3"]) await admit(store, runId);
    const driver = await take(store, "r1");
    await driver.append([callStarted("m1")]);
    await driver.append([thought("m1"), ended()]);
    expect(await store.totals()).toEqual({
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
  const { payload } = context(`key/${key}`, text);
  return store.say({
    sessionId: "s1",
    agent: "coder",
    context: payload as Parameters<Store["say"]>[0]["context"],
    runId,
    start: startOf({ rootRunId: runId, sessionId: "s1", task: text }),
    idempotency: { key, body: text },
  });
}
