// Sends a person's decision on an item. If the button is pressed twice, the decision is sent once. A decided item leaves the list.

import { useMutation } from "@tanstack/react-query";
import { isUnreachable } from "../../../../../src/api/client/client.ts";
import type { ApprovalView, DecisionBody, OutcomeBody } from "../../../../../src/api/client/types.ts";
import { CadreError } from "../../../../../src/errors.ts";
import { ago } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";
import { client } from "../../../live/client.ts";
import { useRefusal } from "../../../live/me.ts";
import { approvalsQuery } from "../../../live/queries.ts";
import { queryClient } from "../../../live/query-client.ts";

export type Decision = DecisionBody | Omit<OutcomeBody, "callId">;

/** A rejection. The note is its reason; an empty note means no reason. */
export const rejection = (note: string): Decision =>
  note === "" ? { decision: "reject" } : { decision: "reject", note };

export interface Decide {
  /** Ignores further clicks while a decision is being sent. */
  send(word: Decision): void;
  isPending: boolean;
  error: Error | null;
}

export async function sendDecision({ id, runId, callId }: ApprovalView, word: Decision): Promise<void> {
  if ("verdict" in word)
    await client.post("/api/runs/{id}/outcome", { id: runId, body: { callId: callId!, ...word } });
  else await client.post("/api/approvals/{id}", { id, body: word });
  queryClient.setQueryData(approvalsQuery.queryKey, (items) => items?.filter((item) => item.id !== id));
  void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
}

export function useDecide(item: ApprovalView, onDecided: (word: Decision) => void): Decide {
  const mayDecide = useRefusal("operator") === undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: (word: Decision) => sendDecision(item, word),
    onSuccess: (_, word) => onDecided(word),
    // Another person answered first, or the call was proposed again. The reloaded list shows which of the two happened.
    onError: () => void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
  });
  return {
    send: (word) => (isPending || !mayDecide ? undefined : mutate(word)),
    isPending: isPending,
    error,
  };
}

const DECISIONS = {
  approve: "Approved",
  edit: "Approved as changed",
  reject: "Rejected",
  answer: "Answered",
};
const VERDICTS = { happened: "It happened", run_again: "Running it again", fail: "Marked as failed" };

/** The sentence that confirms a recorded decision. */
export const confirmationText = (word: Decision): string =>
  "verdict" in word ? VERDICTS[word.verdict] : DECISIONS[word.decision];

/** F12, F13: says that another person answered first, or why the answer failed. The form keeps its text. */
export function AnswerFailure({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <p role="alert" className="mb-2 rounded-md bg-bad-soft p-2 text-bad text-sm">
      <VisibleText text={wordsFor(error)} />
    </p>
  );
}

function wordsFor(error: Error): string {
  if (isUnreachable(error))
    return "The server does not respond, so the answer may not have arrived. Send it again: it is recorded only once.";
  const { by, at, decision } = error instanceof CadreError ? (error.details ?? {}) : {};
  if (typeof by !== "string" || typeof at !== "number") return error.message;
  return `${by} answered first (${String(decision)}, ${ago(at, Date.now())}). Your answer was not recorded.`;
}
