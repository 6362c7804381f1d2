import { expect } from "vitest";
import type { Intercept } from "../../../test/support/mortal-store.ts";
import { effects, oracleTools } from "../../../test/support/oracle.ts";
import { charge, payloadsOf, scenario, stamp, turns, typesOf } from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { type Append, LEASE_MS, type Store } from "../../stores/store.ts";
import { drive } from "./drive.ts";

/** Sets up a run whose first worker is performing a call when an engine gives the run to another worker. */
async function takenOver(world: World, intercept?: Intercept) {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  let times = 0;
  const before = async (): Promise<void> => {
    if (times++ > 0) return;
    begun.resolve();
    await finish.promise;
  };
  await world.restart({ tools: oracleTools(world.oracle, { before }), ...(intercept ? { intercept } : {}) });
  const { parts, store } = world.runtime;
  const runId = await world.run("go on");
  const first = drive(runId, parts, new AbortController().signal);
  await begun.promise;
  const takeOver = () =>
    drive(runId, { ...parts, worker: "second", drives: new Map() }, new AbortController().signal, {
      lost: { workers: [parts.worker] },
    });
  return {
    runId,
    store,
    takeOver,
    begun: () => times,
    async end() {
      finish.resolve();
      await first;
    },
  };
}

const say = (store: Store, runId: string, id: string) =>
  store.journal.append({
    runId,
    after: 0,
    events: [{ type: "CONTEXT_ADDED", payload: { id, source: "person", text: "hurry" } }],
  });

for (const [effect, tool] of [
  ["idempotent", stamp],
  ["unsafe", charge],
] as const) {
  const clock = fakeClock();
  scenario(
    `[E2] an ${effect} call is not repeated while its worker might still be alive, whatever wakes the run`,
    { idle: true, clock, script: turns({ calls: [tool("a")] }) },
    async (world) => {
      const { runId, store, takeOver, begun, end } = await takenOver(world);
      clock.advance(1_000);
      for (const message of ["one", "two"]) {
        await takeOver();
        await say(store, runId, message);
      }
      await takeOver();
      expect(begun()).toBe(1);
      expect(typesOf(await world.events(runId))).not.toContain("RUN_SUSPENDED");
      await end();
      expect((await world.drive(runId)).end?.status, "with the result of the first").toBe("completed");
      expect(effects(world.oracle)).toHaveLength(1);
      expect(payloadsOf(await world.events(runId), "TOOL_STARTED")).toHaveLength(1);
    },
  );
}

const clock = fakeClock();
let unheard: ((append: Append) => Promise<unknown>) | undefined;
scenario(
  "[E2] a message does not make the next worker start before the old lease has ended",
  { idle: true, clock, script: turns({ calls: [charge("a")] }) },
  async (world) => {
    const intercept: Intercept = async (append, send) => {
      const speak = append.rest && append.writer?.worker === "second" ? unheard : undefined;
      unheard = speak ? undefined : unheard;
      await speak?.(append);
      return send();
    };
    const { runId, takeOver, begun, end } = await takenOver(world, intercept);
    unheard = ({ runId }) => say(world.runtime.store, runId, "hurry");
    await takeOver();
    expect(unheard).toBeUndefined();
    expect(begun()).toBe(1);
    const events = await world.events(runId);
    expect(typesOf(events)).toContain("CONTEXT_ADDED");
    expect(typesOf(events)).not.toContain("RUN_SUSPENDED");
    clock.advance(LEASE_MS);
    await takeOver();
    expect(payloadsOf(await world.events(runId), "RUN_SUSPENDED")).toMatchObject([
      { waitingOn: { kind: "outcome_unknown" } },
    ]);
    await end();
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(effects(world.oracle)).toHaveLength(1);
  },
);
