// One person's word on one item: sent once however often a button is pressed, and gone from the list when it is recorded.

import { useMutation } from "@tanstack/react-query";
import type { ApprovalView, DecisionBody, OutcomeBody } from "../../../../src/api/schema.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { approvalsQuery } from "../../live/queries.ts";
import { queryClient } from "../../live/query-client.ts";

export type Word = DecisionBody | Omit<OutcomeBody, "callId">;

export interface Decide {
  /** Does nothing while a word is on its way. */
  send(word: Word): void;
  pending: boolean;
  error: Error | null;
}

export async function sendWord({ id, runId, callId }: ApprovalView, word: Word): Promise<void> {
  if ("verdict" in word) await client.outcome(runId, { callId: callId!, ...word });
  else await client.decide(id, word);
  queryClient.setQueryData(approvalsQuery.queryKey, (items) => items?.filter((item) => item.id !== id));
  void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
}

export function useDecide(item: ApprovalView, onDecided: (word: Word) => void): Decide {
  const mayDecide = useRefusal("operator") === undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: (word: Word) => sendWord(item, word),
    onSuccess: (_, word) => onDecided(word),
    // Somebody was faster, or it is asked anew: the list tells which.
    onError: () => void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
  });
  return { send: (word) => (isPending || !mayDecide ? undefined : mutate(word)), pending: isPending, error };
}

const DECISIONS = {
  approve: "Approved",
  edit: "Approved as changed",
  reject: "Rejected",
  answer: "Answered",
};
const VERDICTS = { happened: "It happened", run_again: "It is run again", fail: "Given up" };

/** What has just been recorded. */
export const wordsSaid = (word: Word): string =>
  "verdict" in word ? VERDICTS[word.verdict] : DECISIONS[word.decision];
