// Kills the process at every append while a module controls a run (M1, M3, M4).

import { expect, test } from "vitest";
import { checkInvariants } from "../../test/support/invariants.ts";
import type { Intercept } from "../../test/support/mortal-store.ts";
import { effects } from "../../test/support/oracle.ts";
import { roles } from "../../test/support/scenario.ts";
import { controlled, refusedByProvider, says, yieldsOf } from "../../test/support/steps.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import { fakeClock } from "../clock.ts";
import { decideApproval, decideOutcome } from "../loop/commands/person-commands.ts";
import { openItems } from "../projections/folds/approvals.ts";
import { liveChildren } from "../projections/folds/child-runs.ts";

const EVERYTHING = controlled(
  `
  yield prompt("Begin.");
  const first = yield* turns();
  const paid = yield* tool("charge", { what: "card" });
  const [left, right] = yield* parallel([delegate("left", "l"), delegate("right", "r", { hidden: true })]);
  const word = yield* ask("Which word?");
  yield* sleep("1m");
  const last = yield* turn();
  return [first.summary, paid.output, left?.summary, right?.summary, word, last.text].join(", ");`,
  "agents: [left, right]",
);
const AT_ONCE = 4;

test("[F01] [F03] [M1] [M3] after a kill at any append the module is replayed, and the run ends as if nothing had happened", async () => {
  for (let first = 1; ; first += AT_ONCE) {
    const points = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    const died = await Promise.all(points.map((point) => liveThrough(point)));
    if (first === 1) expect(died, "there are points to die at").not.toContain(false);
    if (died.includes(false)) return;
  }
}, 120_000);

/** Returns false if the run has fewer appends than `point`. */
async function liveThrough(point: number): Promise<boolean> {
  // Alternates between the two moments. They differ only in the work that is queued between two appends.
  const when = point % 2 === 0 ? "before" : "after";
  const world: World = await makeWorld({
    idle: true,
    clock: fakeClock(),
    ...EVERYTHING,
    cast: { left: "", right: "" },
    config: "permissions: { ask: [charge] }",
    script: roles({ tester: says("one", "two") }),
    intercept: killer(() => world, point, when),
  });
  const runId = await world.run("go on");
  let deaths = 0;
  for (let rounds = 0; !(await world.state(runId)).end; rounds++) {
    if (rounds > 40) throw new Error(`the run does not end after it died at ${point}`);
    const died = await Promise.race([world.dead().then(() => true), step(world, runId).then(() => false)]);
    if (died) await world.restart();
    deaths += Number(died);
  }
  const { end } = await world.state(runId);
  expect(end?.summary, `${when} ${point}`).toBe(
    "one, charge card: done, left is done, right is done, blue, two",
  );
  expect(effects(world.oracle).map(({ input }) => input)).toEqual(["card"]);
  const events = await world.events(runId);
  expect(yieldsOf(events).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(refusedByProvider(events)).toBeUndefined();
  await checkInvariants(world.runtime.store, world.oracle);
  await world.close();
  return deaths > 0;
}

function killer(world: () => World, point: number, when: "before" | "after"): Intercept {
  let seen = 0;
  return async (_, send) => {
    seen++;
    if (seen > point) return new Promise(() => {});
    if (seen < point) return send();
    if (when === "after") await send();
    world().die();
    return new Promise(() => {});
  };
}

/** Drives the tree once, answers its requests as a person, and advances the clock. */
async function step(world: World, runId: string): Promise<void> {
  const { people, parts } = world.runtime;
  const state = await world.drive(runId);
  for (const { runId: child } of liveChildren(state.children)) await world.drive(child);
  for (const item of openItems(state)) {
    if (item.kind === "tool") await decideApproval(item.id, { decision: "approve" }, "ann", people);
    if (item.kind === "question")
      await decideApproval(item.id, { decision: "answer", answer: "blue" }, "ann", people);
    if (item.kind !== "outcome") continue;
    const happened = effects(world.oracle).some(({ callId }) => callId === item.callId);
    const verdict = happened
      ? { verdict: "happened" as const, output: "charge card: done" }
      : { verdict: "run_again" as const };
    await decideOutcome(runId, item.callId!, verdict, "ann", people);
  }
  (parts.clock as ReturnType<typeof fakeClock>).advance(60_000);
}
