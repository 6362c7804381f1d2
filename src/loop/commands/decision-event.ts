// A person's decision as the journal has it: bound to what was shown, and with the rule that a wider word comes to.

import type { EventBody, Payload } from "../../journal/events.ts";
import { callReceipt } from "../../journal/hash.ts";
import type { GrantFor } from "../../permissions/permission.ts";
import type { ApprovalItem } from "../../projections/folds/approvals.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { isTreeLimit } from "../../projections/usage/tree-budget.ts";
import { grantFields } from "../give-grant.ts";
import type { LoopParts } from "../parts.ts";

export interface Decision {
  decision: "approve" | "edit" | "reject" | "answer";
  input?: unknown;
  answer?: string;
  note?: string;
  scope?: "once" | "run" | "tree" | "always";
  until?: number;
  limits?: { maxTokens?: number; maxCost?: number };
}

export function decisionEvent(
  item: ApprovalItem,
  decision: Decision & { by: string },
  state: RunState,
  parts: Pick<LoopParts, "clock" | "digest"> & { grantFor: GrantFor },
): EventBody {
  const { by, until, note, answer, limits, input } = decision;
  const raisesTree = limits !== undefined && isTreeLimit(item.limit ?? "");
  const scope = raisesTree ? "tree" : decision.scope;
  const isGrant = !raisesTree && scope !== undefined && scope !== "once";
  const payload: Payload<"APPROVAL_DECIDED"> = {
    itemId: item.itemId,
    decision: decision.decision,
    by,
    ...(note === undefined ? {} : { note }),
    ...(answer === undefined ? {} : { answer }),
    ...(decision.decision === "edit" ? { input } : {}),
    ...(limits === undefined ? {} : { limits }),
    ...(scope === undefined ? {} : { scope }),
    ...(until === undefined ? {} : { until }),
    ...(isGrant ? grantFields(item, decision, state, parts) : {}),
    ...receiptFor(item, decision, parts),
    ...(item.hash === undefined ? {} : { hash: item.hash }),
  };
  return { type: "APPROVAL_DECIDED", payload };
}

/** The bytes that the person says yes to. */
function receiptFor(
  { kind, tool, input }: ApprovalItem,
  { decision, input: edited }: Decision,
  { digest }: Pick<LoopParts, "digest">,
): { receipt?: string } {
  if (kind !== "tool" || (decision !== "approve" && decision !== "edit")) return {};
  return { receipt: callReceipt(digest, tool!, decision === "edit" ? edited : input) };
}
