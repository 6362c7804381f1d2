// Looks at what a crash left open, once, when a driver takes the run. Only open intents and their effect class
// matter.
//  P3  A model call may have been paid for. It is closed as interrupted, with its estimate, and asked again.
//  P4  `decide` starts a `read` or `idempotent` call again; an `unsafe` one waits for a person.

import type { LoopParts } from "../parts.ts";
import { recoverPrompt } from "../programs/recover-prompt.ts";
import type { RunJournal } from "./run-journal.ts";

/** E5: after this many acquisitions without an outcome, the run is quarantined for a person. */
const MAX_ACQUISITIONS = 5;

export async function recoverRun(
  run: RunJournal,
  parts: Pick<LoopParts, "clock" | "runners">,
): Promise<void> {
  if (run.lease.acquisitions > MAX_ACQUISITIONS && !run.state.cancel) return quarantine(run);
  while (waitsForOldLease(run, parts)) {
    await run.rest([], run.lease.previousUntil);
    if (run.isOver) return;
    // A signal arrived and is folded. The open calls still have to wait.
    await run.view();
  }
  const open = run.state.openModelCall;
  if (!open) return;
  if (run.definition.runner) return recoverPrompt(run, parts);
  const { callId, attempt, estimate } = open;
  run.record({
    type: "MODEL_CALL_FAILED",
    payload: {
      callId,
      ...(attempt > 1 ? { attempt } : {}),
      cause: "interrupted",
      message: "The process ended before the answer was recorded; this attempt may have been paid for.",
      ...(estimate ? { usage: { input: estimate.tokens, output: 0 }, cost: estimate.cost } : {}),
    },
  });
}

async function quarantine(run: RunJournal): Promise<void> {
  const detail = `Taken up ${run.lease.acquisitions - 1} times without any progress.`;
  const key = `suspended/${run.state.suspensions + 1}`;
  await run.rest(
    [{ type: "RUN_SUSPENDED", payload: { waitingOn: { kind: "quarantine", detail } }, key }],
    undefined,
  );
}

/** E2: while the previous worker may still be alive, its open calls are neither run again nor put to a person. */
function waitsForOldLease(run: RunJournal, parts: Pick<LoopParts, "clock" | "runners">): boolean {
  const until = run.lease.previousUntil;
  if (until === undefined || until <= parts.clock.now()) return false;
  if (run.definition.runner && run.state.openModelCall && !parts.runners.find(run.runId)) return true;
  return [...run.state.calls.values()].some(
    (call) => call.started && !call.result && call.proposal?.effect !== "read",
  );
}
