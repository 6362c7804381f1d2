// What a run that rests waits for, as the title of a line.

import type { Payload, WaitingOn } from "../journal/events.ts";
import { isAgentUnusable } from "./words/waits.ts";

/** It is written again whenever one more run below needs a person: the same words would look like a stutter. */
export function waitTitle({ waitingOn, blockers = [] }: Payload<"RUN_SUSPENDED">): string {
  if (blockers.length > 1) return `Waiting: ${blockers.length} runs below need a person`;
  return isAgentUnusable(waitingOn) ? "Waiting: its agent cannot work as it is" : WAIT_TITLES[waitingOn.kind];
}

const WAIT_TITLES: Record<WaitingOn["kind"], string> = {
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
  definition_changed: "Waiting: its agent's module has changed",
  quarantine: "Set aside: it could not be driven",
  paused: "Paused",
};
