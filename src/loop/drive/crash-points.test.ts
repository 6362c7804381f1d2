// Kills the process at every point between two appends (FAULTS §1.2).
// After each kill, the run ends with the same answer, and no unsafe effect happens twice.

import { expect, test } from "vitest";
import { checkInvariants } from "../../../test/support/invariants.ts";
import type { Intercept } from "../../../test/support/mortal-store.ts";
import { effects } from "../../../test/support/oracle.ts";
import { charge, look, stamp, turns } from "../../../test/support/scenario.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import { sendMessage } from "../commands/messages.ts";
import { decideApproval, decideOutcome } from "../commands/person-commands.ts";

const script = turns(
  { calls: [look("a"), look("b")] },
  { text: "now for real", calls: [charge("c"), stamp("d"), charge("e")] },
  { report: { summary: "all done" } },
);

const AT_ONCE = 8;

test.each(["before", "after"] as const)(
  "[F01] [F02] [F03] [F04] [F05] a run that is killed %s any append, and again during recovery, ends as if nothing had happened",
  async (when) => {
    for (let first = 1; ; first += AT_ONCE) {
      const points = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      const died = await Promise.all(points.map((point) => liveThrough(point, when)));
      if (first === 1) expect(died, "there are points to die at").not.toContain(false);
      if (died.includes(false)) return;
    }
  },
  60_000,
);

/** Performs a run whose process dies at its n-th append. Returns false if the run has fewer appends. */
async function liveThrough(point: number, when: "before" | "after"): Promise<boolean> {
  const world: World = await makeWorld({
    idle: true,
    script,
    config: "permissions: { ask: [charge] }",
    intercept: killer(() => world, point, when),
  });
  const runId = await world.run("go on");
  const died = await throughToTheEnd(world, runId, when);
  const { end } = await world.state(runId);
  expect(end, `at ${point}`).toMatchObject({ status: "completed", summary: "all done" });
  const done = effects(world.oracle).filter((effect) => effect.tool !== "look");
  expect(done.map((effect) => effect.input).toSorted(), `at ${point}`).toEqual(["c", "d", "e"]);
  await checkInvariants(world.runtime.store, world.oracle);
  await world.close();
  return died;
}

/** Kills the process at its n-th append, where n is `point`. Later appends get no answer. */
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

/** Drives the run to its end, and answers its requests as a person. Returns false if the process never died. */
async function throughToTheEnd(world: World, runId: string, when: "before" | "after"): Promise<boolean> {
  let deaths = 0;
  for (let rounds = 0; rounds < 60; rounds++) {
    const died = await Promise.race([world.dead().then(() => true), step(world, runId).then(() => false)]);
    if (died) {
      deaths++;
      // The process dies once more, in the middle of the recovery.
      await world.restart(deaths === 1 ? { intercept: killer(() => world, 2, when) } : {});
    } else if ((await world.state(runId)).end) {
      return deaths > 0;
    }
  }
  throw new Error("the run does not end");
}

async function step(world: World, runId: string): Promise<void> {
  const { people } = world.runtime;
  const state = await world.drive(runId);
  if (state.turns === 1 && !(await hasMessage(world, runId)))
    await sendMessage(runId, "hello", "ann", people);
  for (const item of openItems(state)) {
    if (item.kind === "tool") await decideApproval(item.id, { decision: "approve" }, "ann", people);
    if (item.kind !== "outcome") continue;
    const happened = effects(world.oracle).some((effect) => effect.callId === item.callId);
    const verdict = happened ? "happened" : "run_again";
    await decideOutcome(runId, item.callId!, { verdict }, "ann", people);
  }
}

const hasMessage = async (world: World, runId: string): Promise<boolean> =>
  (await world.events(runId)).some((event) => event.type === "CONTEXT_ADDED");
