// U29: the card of an item that is no longer open. It says who decided what, and when.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { parseApprovalId } from "../../../../../src/ids.ts";
import type { JournalEvent } from "../../../../../src/journal/events.ts";
import { outcomeItemId } from "../../../../../src/projections/folds/approvals.ts";
import { DECISION_VERBS, VERDICT_VERBS } from "../../../../../src/projections/words/decisions.ts";
import { Loaded } from "../../../display/page-state.tsx";
import { When } from "../../../display/time/times.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Kbd } from "../../../ui/kbd.tsx";

export function ClosedCard({ id, onNext }: { id: string; onNext: (() => void) | undefined }) {
  const runId = parseApprovalId(id)?.runId ?? id;
  const summary = useQuery({
    queryKey: ["decided", id],
    queryFn: async () => summarizeDecision(id, await client.events(runId)) ?? null,
  });
  return (
    <Loaded query={summary} what="Loading the decision">
      {(decision) => (
        <div role="status">
          <EmptyState icon={<CircleCheck size={28} aria-hidden />} title="Already answered">
            <p className="break-words">
              {decision ? (
                <>
                  <VisibleText text={decision.text} /> (<When ts={decision.ts} />)
                </>
              ) : (
                "The run has ended or now asks for something else."
              )}
            </p>
            <p className="flex flex-wrap justify-center gap-2">
              <Link to="/r/$runId" params={{ runId }} className="p-2 text-accent text-sm underline">
                Open the run
              </Link>
              {onNext && (
                <Button onClick={onNext} className="max-md:h-11">
                  Next <Kbd>j</Kbd>
                </Button>
              )}
            </p>
          </EmptyState>
        </div>
      )}
    </Loaded>
  );
}

/** Reads the decision on an item from the journal; undefined if the item was withdrawn without a decision. */
function summarizeDecision(id: string, events: readonly JournalEvent[]) {
  const itemId = parseApprovalId(id)?.itemId;
  for (const { type, payload, ts } of events.toReversed()) {
    if (type === "APPROVAL_DECIDED" && payload.itemId === itemId) {
      const { decision, by, note, answer } = payload;
      if (decision === "expire") return { text: "No one answered in time, so it was rejected.", ts };
      const words = [answer, note].filter((word) => word !== undefined && word !== "").join("; ");
      return { text: `${by} ${DECISION_VERBS[decision]}${words === "" ? "." : `: ${words}`}`, ts };
    }
    if (type !== "OUTCOME_DECIDED" || outcomeItemId(payload.toolCallId, payload.attempt) !== itemId) continue;
    return { text: `${payload.by} ${VERDICT_VERBS[payload.verdict]}.`, ts };
  }
  return undefined;
}
