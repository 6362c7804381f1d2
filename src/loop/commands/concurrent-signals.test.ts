// Sends messages, pauses, decisions and cancels at random moments while runs work.
// Every run must end, no effect must happen twice, and every invariant must hold, in any order of these signals (I1-I11).

import { expect, test } from "vitest";
import { checkInvariants } from "../../../test/support/invariants.ts";
import { effects } from "../../../test/support/oracle.ts";
import { charge, look, payloadsOf, stamp } from "../../../test/support/scenario.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { messageOf } from "../../errors.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { Script } from "../../models/scripted/script.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import { sendMessage } from "./messages.ts";
import { cancelRun, decideApproval, pauseRun, resumeRun } from "./person-commands.ts";

const STEPS = 5;
const RUNS = 12;

const script: Script = ({ turn }) =>
  turn <= STEPS
    ? { calls: [look(`l${turn}`), charge(`c${turn}`), stamp(`s${turn}`)] }
    : { report: { summary: "done" } };

test.each([1, 2, 3, 4])(
  "[I11] signals at any moment, seed %i: every run ends, and nothing is done twice",
  async (seed) => {
    const problems: string[] = [];
    const world = await makeWorld({
      script,
      config: "permissions: { ask: [charge] }\nlimits: { maxTurns: 40 }",
      onProblem: ({ message, error }) => problems.push(`${message} ${messageOf(error)}`),
    });
    const random = randomOf(seed);
    const busy = new Set<Promise<void>>();
    world.runtime.store.journal.onCommit((events) => {
      for (const event of events) {
        const meddling = meddle(world, event, random).catch(() => {});
        busy.add(meddling);
        void meddling.then(() => busy.delete(meddling));
      }
    });
    const runIds = await Promise.all(Array.from({ length: RUNS }, (_, n) => world.run(`work ${n}`)));
    await Promise.all(
      runIds.map((runId) => world.seen(runId, "RUN_COMPLETED", "RUN_CANCELLED", "RUN_FAILED")),
    );
    await Promise.all(busy);
    expect(problems).toEqual([]);
    for (const runId of runIds) {
      const state = await world.state(runId);
      expect(state.end?.status).not.toBe("failed");
      const done = effects(world.oracle).filter((effect) => effect.runId === runId);
      const ids = done.map((effect) => effect.callId);
      expect(new Set(ids).size, runId).toBe(ids.length);
      if (state.end?.status === "completed") {
        const unseen = payloadsOf(await world.events(runId), "RUN_COMPLETED")[0]?.unseen;
        expect(unseen, "[J11]").toBeUndefined();
      }
    }
    await checkInvariants(world.runtime.store, world.oracle);
    await world.close();
  },
);

/** Reacts to an event as people would: usually does what the run requests, sometimes something else. */
async function meddle(world: World, event: JournalEvent, random: () => number): Promise<void> {
  const { people } = world.runtime;
  const { runId } = event;
  const dice = random();
  if (event.type === "RUN_SUSPENDED") {
    if (event.payload.waitingOn.kind === "paused") return resumeRun(runId, "ann", people);
    for (const item of openItems(await world.state(runId))) {
      const decision = random() < 0.8 ? "approve" : "reject";
      await decideApproval(item.id, { decision }, "ann", people);
    }
  }
  if (dice < 0.04) return sendMessage(runId, "how is it going?", "bob", people);
  if (dice < 0.08) return pauseRun(runId, "bob", people);
  if (dice < 0.085) await cancelRun(runId, "bob", undefined, people);
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
