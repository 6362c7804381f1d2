// Who said what about an item that is not open any more, from its run's journal (U29).

import { parseApprovalId } from "../../../../../src/ids.ts";
import type { JournalEvent } from "../../../../../src/journal/events.ts";
import { outcomeItemId } from "../../../../../src/projections/folds/approvals.ts";

export interface DecisionSummary {
  text: string;
  ts: number;
}

const DID = {
  approve: "approved it",
  edit: "changed and approved it",
  reject: "rejected it",
  answer: "answered it",
} as const;

const VERDICTS = {
  happened: "said that it happened",
  run_again: "had it run again",
  fail: "gave it up",
} as const;

/** Undefined: nobody said anything; the run has ended, or asks for something else. */
export function summarizeDecision(id: string, events: readonly JournalEvent[]): DecisionSummary | undefined {
  const itemId = parseApprovalId(id)?.itemId;
  for (const { type, payload, ts } of events.toReversed()) {
    if (type === "APPROVAL_DECIDED" && payload.itemId === itemId) {
      const { decision, by, note, answer } = payload;
      if (decision === "expire") return { text: "Nobody answered in time, so it was rejected.", ts };
      const words = [answer, note].filter((word) => word !== undefined && word !== "").join("; ");
      return { text: `${by} ${DID[decision]}${words === "" ? "." : `: ${words}`}`, ts };
    }
    if (type !== "OUTCOME_DECIDED" || outcomeItemId(payload.toolCallId, payload.attempt) !== itemId) continue;
    return { text: `${payload.by} ${VERDICTS[payload.verdict]}.`, ts };
  }
  return undefined;
}
