// Finds the run that crashes its process whenever it is driven, and clears the runs that were only driven at the same time (E5, P9).
//  1  A run becomes a suspect if it was being driven in two process deaths in a row. These two deaths are not yet evidence.
//  2  A suspect takes its steps alone until an outcome or a rest clears it. The store records this before the first step.
//     So the next process knows whether the suspect was driven alone when its process died.
//  3  After three deaths of this kind there is a counter-check: the process drives nothing for a while.
//     If the process dies anyway, something else ends it, such as a person or a lack of memory, and the count starts again.
//     If the process survives, the run is quarantined.
//  4  An orderly shutdown does not count as a death, because the driver releases the run.

import { SUSPECT_AFTER } from "../../stores/store.ts";
import type { LoopParts, StepGate } from "../parts.ts";
import type { RunJournal } from "./run-journal.ts";

/**
 * After this number of processes have died while they drove only this run, the driver makes a counter-check:
 * it waits for a while and drives nothing. If its process survives, the run is guilty. If it dies too, the cause is something else.
 */
const MAX_DEATHS_ALONE = 3;

/** The value of `lease.acquisitions` (how often drivers have acquired the run) once the counter-check has begun. */
const CHECKED = SUSPECT_AFTER + MAX_DEATHS_ALONE + 2;

interface Steps {
  takeStep(): Promise<void>;
  mayContinue(): boolean;
  /** Aborted when the driver must leave the run. */
  stopped: AbortSignal;
}

/** Takes one step, or all steps of a suspect until it is cleared. */
export async function takeSteps(
  run: RunJournal,
  parts: Pick<LoopParts, "gate" | "store" | "trialMs">,
  { takeStep, mayContinue, stopped }: Steps,
): Promise<void> {
  const isAlone = isSuspect(run);
  const leave = await parts.gate.enter(isAlone ? "alone" : "shared", stopped);
  try {
    if (!mayContinue()) return;
    if (!isAlone) return await takeStep();
    if ((await judgeSuspect(run, parts, stopped)) === "guilty") return await quarantine(run);
    while (mayContinue() && isSuspect(run)) await takeStep();
    // The outcome that clears this run is stored before another run can crash the process.
    await run.settle();
  } finally {
    leave();
  }
}

/** E5: true if the run lost its worker twice in a row and has had no outcome since. */
const isSuspect = (run: RunJournal): boolean => run.lease.acquisitions > SUSPECT_AFTER && !run.hasProgressed;

/** Records that the suspect is driven alone from now on. If enough processes have died, makes the counter-check. */
async function judgeSuspect(
  run: RunJournal,
  { store, trialMs }: Pick<LoopParts, "store" | "trialMs">,
  stopped: AbortSignal,
): Promise<"unknown" | "guilty"> {
  // A cancelled run is driven to its end, even if it crashes its process.
  if (run.state.cancel) return "unknown";
  const record = (count: number) => store.leases.recordAcquisitions(run.runId, run.lease, count);
  const { acquisitions } = run.lease;
  if (acquisitions >= CHECKED) {
    // The last process died during the counter-check. It drove nothing at that time, so this run did not kill it.
    await record(SUSPECT_AFTER + 2);
    return "unknown";
  }
  await record(acquisitions + 1);
  if (acquisitions + 1 < CHECKED) return "unknown";
  await waitOrStop(trialMs, stopped);
  return stopped.aborted ? "unknown" : "guilty";
}

async function quarantine(run: RunJournal): Promise<void> {
  const times = SUSPECT_AFTER + MAX_DEATHS_ALONE;
  const detail = `Taken up ${times} times without any progress, the last ${MAX_DEATHS_ALONE} times alone.`;
  await run.suspend({ kind: "quarantine", detail }, undefined);
}

function waitOrStop(ms: number, stopped: AbortSignal): Promise<void> {
  if (ms === 0 || stopped.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/**
 * Decides which run is allowed to take a step now. Ordinary runs take their steps at the same time.
 * A suspect takes its steps alone. It first waits for the steps in progress to end. Then the other runs wait until it is cleared or rests.
 */
export function createStepGate(): StepGate {
  let sharing = 0;
  let taken = false;
  const waiting: { how: "shared" | "alone"; go: () => void }[] = [];

  const mayGo = (how: "shared" | "alone"): boolean => (how === "alone" ? sharing === 0 && !taken : !taken);
  const begin = (how: "shared" | "alone"): (() => void) => {
    if (how === "alone") taken = true;
    else sharing++;
    return () => {
      if (how === "alone") taken = false;
      else sharing--;
      letGo();
    };
  };
  const letGo = (): void => {
    while (waiting[0] && mayGo(waiting[0].how)) waiting.shift()!.go();
  };

  return {
    async enter(how, left) {
      if (left.aborted) return () => {};
      if (waiting.length === 0 && mayGo(how)) return begin(how);
      return new Promise((resolve) => {
        const entry = { how, go: () => resolve(begin(how)) };
        waiting.push(entry);
        left.addEventListener("abort", () => {
          const at = waiting.indexOf(entry);
          if (at < 0) return;
          waiting.splice(at, 1);
          resolve(() => {});
          letGo();
        });
      });
    },
  };
}
