// What a run that rests waits for, as the title of a line.

import type { WaitingOn } from "../journal/events.ts";

export const WAIT_TITLES: Record<WaitingOn["kind"], string> = {
  child: "Waiting for its children",
  handoff: "Waiting for the agent that took over",
  timer: "Waiting",
  provider: "Waiting for the provider",
  slot: "Waiting for a free place",
  approval: "Waiting for an approval",
  child_hitl: "Waiting: a child needs a person",
  question: "Waiting for an answer",
  outcome_unknown: "Outcome unknown: a person must say what happened",
  budget: "Stopped at its budget: a person may raise it",
  loop: "Stopped: it repeats itself",
  storage: "Waiting for space in the store",
  definition_changed: "Waiting: its definition changed",
  quarantine: "Set aside: it could not be driven",
  paused: "Paused",
};
