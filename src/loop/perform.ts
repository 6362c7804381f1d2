// Does what was decided. Each branch is one stage, in a file of its own name.

import { assertNever } from "../errors.ts";
import type { EventBody } from "../journal/events.ts";
import type { Action } from "../patterns/action.ts";
import { callModel } from "./call-model.ts";
import { finish } from "./finish.ts";
import type { LoopParts } from "./parts.ts";
import { propose } from "./propose.ts";
import type { RunJournal } from "./run-journal.ts";
import { runTools } from "./run-tools.ts";

export async function perform(
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
      return callModel(action, run, parts, effects);
    case "propose":
      return propose(action.calls, run, parts);
    case "run-tools":
      return runTools(action.calls, run, parts, effects);
    case "end":
      return finish(action.ending, run);
    default:
      return assertNever(action);
  }
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
