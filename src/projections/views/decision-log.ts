// The decision log of a run and all runs below it (S1-64): decisions made by rules, people, limits and models, in order.

import type { EventType, JournalEvent, WaitingOn } from "../../journal/events.ts";
import { causeOf, type Journals } from "./causes.ts";
import { createReasonFinder } from "./reasons.ts";
import type { Reason } from "./why-schema.ts";

export const decisionLog = (journals: Journals, runId: string): Reason[] =>
  decisionsIn(journals, runId).map(createReasonFinder(journals));

function decisionsIn(journals: Journals, runId: string): JournalEvent[] {
  const below = new Set([runId]);
  const events = [...journals.values()].flat().sort((a, b) => a.position - b.position);
  return events.filter((event) => {
    if (event.type === "RUN_STARTED" && below.has(event.payload.parentRunId ?? "")) below.add(event.runId);
    return below.has(event.runId) && isDecision(journals, event, event.runId === runId);
  });
}

function isDecision(journals: Journals, event: JournalEvent, isTop: boolean): boolean {
  switch (event.type) {
    // For a child, the log shows the parent's CHILD_RUN_STARTED event instead.
    case "RUN_STARTED":
      return isTop;
    case "MODEL_CALL_STARTED":
      return (event.payload.attempt ?? 1) > 1;
    case "TOOL_STARTED":
      return (event.payload.attempt ?? 1) > 1;
    case "TOOL_RESULT":
      return event.payload.isError === true && causeOf(journals, event)?.type !== "TOOL_PROPOSED";
    case "HOOKS_ENDED":
      return event.payload.decision !== undefined || event.payload.interrupted === true;
    case "RUN_SUSPENDED":
      return HOLDS.has(event.payload.waitingOn.kind);
    default:
      return DECISIONS.has(event.type);
  }
}

/** Kinds of waits that appear in the log, because no other entry explains them. */
const HOLDS: ReadonlySet<WaitingOn["kind"]> = new Set([
  "slot",
  "outcome_unknown",
  "loop",
  "storage",
  "definition_changed",
  "quarantine",
  "paused",
]);

const DECISIONS: ReadonlySet<EventType> = new Set([
  "TOOL_PROPOSED",
  "APPROVAL_DECIDED",
  "OUTCOME_DECIDED",
  "CHILD_RUN_STARTED",
  "TEAM_VOTE",
  "CONTEXT_COMPACTED",
  "CONTEXT_CLIPPED",
  "LIMIT_REACHED",
  "BUDGET_SET",
  "CANCEL_REQUESTED",
  "SYSTEM_ERROR",
  "RUN_COMPLETED",
  "RUN_FAILED",
  "RUN_CANCELLED",
]);
