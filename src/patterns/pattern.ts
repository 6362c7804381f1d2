// The contract of a pattern's decisions: they turn an agent's definition and the state of its run into the next action.
// A pattern does no I/O and has no clock, so the same journal gives the same action.
// The runs that a pattern starts are ordinary runs.
// A run goes through the stages before → work → route → after (`declarations/declaration.ts`).

import type { LoadedSteps } from "../agents/loaded-steps.ts";
import type { Definition } from "../journal/definition.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import type { Action, Ending } from "./action.ts";

/** Everything that decisions depend on: a run's state and its agent. */
export interface DecisionView {
  state: RunState;
  definition: Definition;
  /** The current version of the module that controls the agent. Absent if no module controls it. */
  steps?: LoadedSteps | undefined;
}

/** The decision that the agent takes another turn, even if its last turn looked like an answer. */
export interface TakeTurn {
  type: "take-turn";
}

export interface Pattern {
  /** Called before each step of the agent. Returns undefined if the pattern has nothing to do now. */
  next(view: DecisionView, now: number): Action | TakeTurn | undefined;
  /** Called when the agent's own turns have produced an answer, before this answer becomes the run's answer. */
  onAnswer?(view: DecisionView, ending: Ending): Action | undefined;
  /** Called when the run has its answer. Returns undefined if the run is to end with this answer. */
  onFinish?(view: DecisionView, ending: Ending): Action | undefined;
}
