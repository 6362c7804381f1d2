// Does what was decided. Each branch is one stage, in a file of its own name.

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
      return run.rest([suspended(action.waitingOn, run)], action.wakeAt);
    case "resume":
      return write([resumed(action.by, run)], run);
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
    case "run-builtin":
      return performBuiltin(action.call, run, parts);
    case "merge-child":
      return mergeChild(action.runId, run, parts);
    case "cancel-children":
      return cancelChildren(action, run, parts);
    case "end":
      return finishRun(await withoutProgram(action.ending, run, parts), run);
    default:
      return assertNever(action);
  }
}

async function performBuiltin(callId: string, run: RunJournal, parts: LoopParts): Promise<void> {
  const call = run.state.calls.get(callId)!;
  return builtinTool(call.name)!.perform!(call, run, parts);
}

/** Nothing of a run goes on after its end. */
async function withoutProgram(
  ending: Ending,
  run: RunJournal,
  { runners }: Pick<LoopParts, "runners">,
): Promise<Ending> {
  if (!run.definition.runner) return ending;
  const left = await runners.end(run.runId);
  return left.length === 0 ? ending : { ...ending, warnings: [...(ending.warnings ?? []), ...left] };
}

/** D2: told only once it is sure that the run is over. Asked for again by every drive until all have ended. */
async function cancelChildren(
  { runIds, waitingOn }: Extract<Action, { type: "cancel-children" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  const known =
    run.state.isClosing && JSON.stringify(run.state.waitingOn?.items) === JSON.stringify(waitingOn.items);
  const refused = await run.begin(known ? [] : [suspended(waitingOn, run)]);
  if (refused) return;
  const { name } = run.definition;
  for (const runId of runIds) {
    await parts.store.runs.cancel(runId, { by: name, reason: `${name} has ended.`, via: run.runId });
  }
  await run.rest([], undefined);
}

/** F27: that their time is over is written first; a crash in between leaves children that the end sees to (D2). */
async function giveUpOn(
  { runIds, events, reason }: Extract<Action, { type: "give-up-on" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  const refused = await run.begin(events);
  if (refused) return;
  const by = run.definition.name;
  for (const runId of runIds) await parts.store.runs.cancel(runId, { by, reason, via: run.runId });
}

function suspended(waitingOn: Extract<Action, { type: "suspend" }>["waitingOn"], run: RunJournal): EventBody {
  return { type: "RUN_SUSPENDED", payload: { waitingOn }, key: `suspended/${run.state.suspensions + 1}` };
}

function resumed(by: string, run: RunJournal): EventBody {
  return { type: "RUN_RESUMED", payload: { by }, key: `resumed/${run.state.suspensions}` };
}

/** Conditional, so that an expiry never stands beside a person's decision, nor a resume beside a pause. */
async function write(events: EventBody[], run: RunJournal): Promise<void> {
  await run.begin(events);
}
