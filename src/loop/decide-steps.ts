// What a module with steps owes the rest of the loop, and the loop owes it: its calls stop at a limit, its agent's answers
// are its own to use, and what it returns has the form that its agent's file asks for. Pure, like `decide`.

import type { Action, Ending } from "../patterns/action.ts";
import { patternsOf } from "../patterns/index.ts";
import type { DecisionView } from "../patterns/pattern.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import { reportProblem } from "./builtin-tools/declared/final-report.ts";
import { hardLimit } from "./drive/limits.ts";

/** Something else than the number of its turns is used up: nothing more is begun but the last one (B3). */
export function hasReachedLimit(state: RunState): boolean {
  const limit = hardLimit(state);
  return limit !== undefined && limit.limit !== "maxTurns";
}

/** An answer that the agent's own turns came to may be what somebody asked them for, and not the run's. */
export function answerForPattern(view: DecisionView, ending: Ending): Action | undefined {
  for (const pattern of patternsOf(view.definition)) {
    const action = pattern.answered?.(view, ending);
    if (action) return action;
  }
  return undefined;
}

/** What a module returns owes its agent's output, as a report does. */
export function checkModuleOutput(ending: Ending, { definition }: DecisionView): Ending {
  const { status, stopReason, summary, output } = ending;
  if (!definition.steps || status !== "completed" || stopReason !== "final_answer") return ending;
  const problem = reportProblem({ summary, output }, definition);
  if (problem === undefined) return ending;
  return { status: "failed", stopReason: "invalid_output", summary: `What the module returned: ${problem}` };
}
