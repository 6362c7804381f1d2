// Performs the action that `decide` chose. Each longer action has its own file.

import { assertNever } from "../../errors.ts";
import type { EventBody } from "../../journal/events.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { builtinTool } from "../builtin-tools/index.ts";
import { proposeCalls, proposeStepCalls } from "../calls/propose.ts";
import { runTools } from "../calls/run-tools.ts";
import { startChildren } from "../children/start-children.ts";
import { startPatternRuns } from "../children/start-pattern-runs.ts";
import { mergeChild } from "../children/worktree.ts";
import { callModel } from "../model/call-model.ts";
import type { LoopParts } from "../parts.ts";
import { promptRunner } from "../programs/prompt-runner.ts";
import { finishRun } from "./finish.ts";
import type { RunJournal } from "./run-journal.ts";

export async function performAction(
  action: Action,
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<void> {
  switch (action.type) {
    case "stop":
      return run.release();
    case "rest":
      return run.rest([], action.wakeAt);
    case "suspend":
      return run.suspend(action.waitingOn, action.wakeAt);
    case "resume":
      return write([resumedEvent(action.by, run)], run);
    case "record":
      return write(action.events, run);
    case "call-model":
      return run.definition.runner
        ? promptRunner(action, run, parts, effects)
        : callModel(action, run, parts, effects);
    case "propose":
      return proposeCalls(action.calls, run, parts);
    case "propose-made":
      return proposeStepCalls(action.calls, run, parts);
    case "run-tools":
      return runTools(action.calls, run, parts, effects);
    case "start-children":
      return startChildren(action.calls, run, parts);
    case "start-runs":
      return startPatternRuns(action.runs, run, parts);
    case "give-up-on":
      return giveUpOn(action, run, parts);
    case "run-builtin": {
      const call = run.state.calls.get(action.call)!;
      return builtinTool(call.name)!.perform!(call, run, parts);
    }
    case "merge-child":
      return mergeChild(action.runId, run, parts);
    case "cancel-children":
      return cancelChildren(action, run, parts);
    case "end":
      return finishRun(await endProgram(action.ending, run, parts), run);
    default:
      return assertNever(action);
  }
}

/** Ends the run's program, because nothing of a run continues after its end. */
async function endProgram(
  ending: Ending,
  run: RunJournal,
  { runners }: Pick<LoopParts, "runners">,
): Promise<Ending> {
  if (!run.definition.runner) return ending;
  const left = await runners.end(run.runId);
  return left.length === 0 ? ending : { ...ending, warnings: [...(ending.warnings ?? []), ...left] };
}

/** D2: cancels children only once the run's end is certain. Every drive repeats this until all of them have ended. */
async function cancelChildren(
  { runIds, waitingOn }: Extract<Action, { type: "cancel-children" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  const isKnown =
    run.state.isClosing && JSON.stringify(run.state.waitingOn?.items) === JSON.stringify(waitingOn.items);
  if (await run.begin(isKnown ? [] : [run.suspendedEvent(waitingOn)])) return;
  await cancelAll(runIds, `${run.definition.name} has ended.`, run, parts);
  await run.rest([], undefined);
}

/** F27: records first that the children's time is over. After a crash in between, the run's end cancels them (D2). */
async function giveUpOn(
  { runIds, events, reason }: Extract<Action, { type: "give-up-on" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  if (await run.begin(events)) return;
  await cancelAll(runIds, reason, run, parts);
}

async function cancelAll(
  runIds: readonly string[],
  reason: string,
  { runId: via, definition: { name: by } }: RunJournal,
  { store }: Pick<LoopParts, "store">,
): Promise<void> {
  for (const runId of runIds) await store.runs.cancel(runId, { by, reason, via });
}

function resumedEvent(by: string, run: RunJournal): EventBody {
  return { type: "RUN_RESUMED", payload: { by }, key: `resumed/${run.state.suspensions}` };
}

/** Appends conditionally, so that an expiry and a person's decision, or a resume and a pause, are never both written. */
async function write(events: EventBody[], run: RunJournal): Promise<void> {
  await run.begin(events);
}
