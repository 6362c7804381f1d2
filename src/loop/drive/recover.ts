// Closes what a crash left open, once, when a driver takes the run. Only open intents and their effect class matter.
//  P3  A model call may have been paid for. The driver closes it as interrupted, with its estimate, and makes it again.
//  P4  `decide` starts a `read` or `idempotent` call again; an `unsafe` call waits for a person.

import type { EventBody, Payload } from "../../journal/events.ts";
import { PROMPT } from "../../projections/folds/tool-call.ts";
import { attemptOf } from "../model/call-model.ts";
import type { LoopParts } from "../parts.ts";
import { closeOpenCalls } from "../programs/runner-calls.ts";
import { resumableSession } from "../programs/runner-prompt.ts";
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
    // A signal arrived. It is folded, and the open calls still have to wait.
    await run.view();
  }
  const open = run.state.openModelCall;
  if (!open) return;
  if (run.definition.runner) return recoverPrompt(run, parts);
  const { estimate } = open;
  const message = "The process ended before the answer was recorded; this attempt may have been paid for.";
  const spent = estimate && { usage: { input: estimate.tokens, output: 0 }, cost: estimate.cost };
  run.record(interrupted(run, message, spent));
}

function interrupted(
  { state }: RunJournal,
  message: string,
  spent?: Pick<Payload<"MODEL_CALL_FAILED">, "usage" | "cost">,
): EventBody {
  const base = attemptOf(state.openModelCall!);
  return { type: "MODEL_CALL_FAILED", payload: { ...base, cause: "interrupted", message, ...spent } };
}

async function quarantine(run: RunJournal): Promise<void> {
  const detail = `Taken up ${run.lease.acquisitions - 1} times without any progress.`;
  await run.suspend({ kind: "quarantine", detail }, undefined);
}

/** E2: whether the previous worker may still be alive. Until it is not, its open calls are neither repeated nor decided. */
function waitsForOldLease(run: RunJournal, parts: Pick<LoopParts, "clock" | "runners">): boolean {
  const until = run.lease.previousUntil;
  if (until === undefined || until <= parts.clock.now()) return false;
  if (run.definition.runner && run.state.openModelCall && !parts.runners.find(run.runId)) return true;
  return [...run.state.calls.values()].some(
    (call) => call.started && !call.result && call.proposal?.effect !== "read",
  );
}

/**
 * Recovers a prompt to a program that was under way when the previous process ended. Leftover processes are killed first.
 * A program that can resume its session is asked to continue. Otherwise its work is unknown, and a person is asked (P4).
 */
export async function recoverPrompt(run: RunJournal, parts: Pick<LoopParts, "runners">): Promise<void> {
  if (parts.runners.find(run.runId)) return;
  const { started } = run.state.runner;
  const isEnded = started === undefined || (await parts.runners.endLeftover(started));
  closeOpenCalls(run, "The program was ended while it did this: it is not known whether it was done.");
  if (!started || run.state.cancel || (resumableSession(run) !== undefined && isEnded))
    return run.record(interrupted(run, PROCESS_ENDED));
  const { command, host } = started;
  recordLostSession(
    isEnded
      ? `${command} cannot go on with a session that was ended.`
      : `${command} may still run on ${host}.`,
    run,
  );
}

const PROCESS_ENDED = "The process ended while the program was at work.";

/** Only a person can find out what became of the prompt, so the prompt becomes a call with an unknown outcome. */
export function recordLostSession(why: string, run: RunJournal): void {
  const { command, host, pid } = run.state.runner.started!;
  const toolCallId = `${run.state.openModelCall!.callId}.${run.state.runner.calls}`;
  const judged = { name: PROMPT, effect: "unsafe" as const, verdict: "allow" as const, rule: why };
  const input = { command, task: run.state.start!.task };
  run.record(
    interrupted(run, PROCESS_ENDED),
    { type: "TOOL_PROPOSED", payload: { toolCallId, ...judged, input } },
    { type: "TOOL_STARTED", payload: { toolCallId, host, pid } },
  );
}
