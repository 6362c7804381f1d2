// Approvals and decisions of people, in the words of the terminal and the page.

import type { Payload } from "../../journal/events.ts";
import type { ApprovalItem, ApprovalKind } from "../folds/approvals.ts";

/** Completes a sentence that begins with the agent's name. */
export const ITEM_HEADLINES: Record<ApprovalKind, string> = {
  tool: "needs your approval",
  question: "asks you",
  outcome: "does not know whether this was done",
  budget: "has used up its budget",
  loop: "repeats itself",
};

/** Headlines without the agent's name, for lists. */
export const ITEM_LABELS: Record<ApprovalKind, string> = {
  tool: "needs approval",
  question: "asks",
  outcome: "outcome unknown",
  budget: "budget used up",
  loop: "repeats itself",
};

/** Completes a sentence that begins with the person's name. */
export const DECISION_VERBS: Record<Exclude<Payload<"APPROVAL_DECIDED">["decision"], "expire">, string> = {
  approve: "approved it",
  edit: "changed and approved it",
  reject: "rejected it",
  answer: "answered it",
};

export const VERDICT_VERBS: Record<Payload<"OUTCOME_DECIDED">["verdict"], string> = {
  happened: "said that it happened",
  run_again: "had it run again",
  fail: "gave it up",
};

export function describeAskReason({
  rule = "",
  basis,
  unjudged,
  tool = "the tool",
}: { [K in "rule" | "basis" | "unjudged" | "tool"]?: ApprovalItem[K] | undefined }): string {
  if (basis !== "default") return `the rule “${rule}” asks first`;
  return `no rule allows this use of ${tool}${unjudged === undefined ? "" : `, which cannot be judged: ${unjudged}`}`;
}

export interface ApprovedCall extends Pick<Payload<"APPROVAL_DECIDED">, "by" | "receipt"> {
  ts: number;
}

/** Whether the started call is the approved call, according to their receipts. Undefined if there are no receipts. */
export function describeReceipt(
  begun: string | undefined,
  { by, receipt, ts }: ApprovedCall,
): string | undefined {
  if (begun === undefined || receipt === undefined) return undefined;
  const time = new Date(ts).toTimeString().slice(0, 5);
  return begun === receipt
    ? `identical to what was approved ${time} by ${by}, sha256 ${receipt}`
    : `NOT what was approved ${time} by ${by}: sha256 ${begun}, approved ${receipt}`;
}

/** U26: common reasons for a rejection. A person picks a reason with a single key. The agent reads the note. */
export const REJECT_REASONS = [
  { label: "Not needed", note: "This is not needed. Go on without it." },
  { label: "Another way", note: "This is the wrong way. Find another one." },
  { label: "Too risky", note: "This is too risky. Find a safer way." },
  { label: "Wrong place", note: "This is the wrong file or place. Look again where it belongs." },
  { label: "Ask first", note: "Ask me first what I want before you try something like this again." },
] as const;

/** Turns what a person typed into a note: `3` selects the third common reason, and any other text is the note. */
export const rejectionNote = (typed: string): string => REJECT_REASONS[Number(typed) - 1]?.note ?? typed;
