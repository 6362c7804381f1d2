// The contract of a pattern: from an agent's definition and where its run stands to what happens next. No I/O and no
// clock of its own, so the same journal gives the same action; whoever it starts is a run like any other.
// A run is composed as advisors → (its own turns | steps | team | bestOf) → router → handoff.

import type { LoadedSteps } from "../agents/load-steps.ts";
import type { Definition } from "../journal/definition.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import type { Action, Ending } from "./action.ts";

/** A run and its agent: what is decided from. */
export interface DecisionView {
  state: RunState;
  definition: Definition;
  /** The module that controls the agent, as it is now. */
  steps?: LoadedSteps | undefined;
}

/** The agent's next turn is wanted, whatever its last words were. */
export interface TakeTurn {
  type: "take-turn";
}

export interface Pattern {
  /** The key of the agent's file that asks for it. */
  readonly key: "advisors" | "team" | "bestOf" | "steps" | "router" | "handoff";
  /** Asked before each step of the agent's own. Undefined: nothing is to be done for it now. */
  next(view: DecisionView, now: number): Action | TakeTurn | undefined;
  /** Asked when the agent's own turns have come to an answer, before it counts as the run's. */
  answered?(view: DecisionView, ending: Ending): Action | undefined;
  /** Asked when the agent has its answer. Undefined: the answer stands. */
  finished?(view: DecisionView, ending: Ending): Action | undefined;
}
