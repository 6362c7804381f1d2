// Recovers a prompt that was under way when the previous process ended. Leftover processes are killed first. A
// program that can
// resume its session is asked to continue. Otherwise it is unknown what it has done, and a person is asked (P4).

import type { EventBody } from "../../journal/events.ts";
import { PROMPT } from "../../projections/folds/tool-call.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { closeOpenCalls } from "./runner-calls.ts";
import { resumableSession } from "./runner-prompt.ts";

export async function recoverPrompt(run: RunJournal, parts: Pick<LoopParts, "runners">): Promise<void> {
  if (parts.runners.find(run.runId)) return;
  const { started } = run.state.runner;
  const isEnded = started === undefined || (await parts.runners.endLeftover(started));
  closeOpenCalls(run, "The program was ended while it did this: it is not known whether it was done.");
  if (!started || run.state.cancel || (resumableSession(run) !== undefined && isEnded))
    return run.record(interrupted(run));
  const { command, host } = started;
  recordLostSession(
    isEnded
      ? `${command} cannot go on with a session that was ended.`
      : `${command} may still run on ${host}.`,
    run,
  );
}

/** Only a person can find out what became of the prompt, so it becomes a call with an unknown outcome. */
export function recordLostSession(why: string, run: RunJournal): void {
  const { command, host, pid } = run.state.runner.started!;
  const toolCallId = `${run.state.openModelCall!.callId}.${run.state.runner.calls}`;
  const judged = { name: PROMPT, effect: "unsafe" as const, verdict: "allow" as const, rule: why };
  const input = { command, task: run.state.start!.task };
  run.record(
    interrupted(run),
    { type: "TOOL_PROPOSED", payload: { toolCallId, ...judged, input } },
    { type: "TOOL_STARTED", payload: { toolCallId, host, pid } },
  );
}

function interrupted({ state }: RunJournal): EventBody {
  const { callId, attempt } = state.openModelCall!;
  const message = "The process ended while the program was at work.";
  return {
    type: "MODEL_CALL_FAILED",
    payload: { callId, ...(attempt > 1 ? { attempt } : {}), cause: "interrupted", message },
  };
}
