// Builds the event of a person's decision. The event contains a hash of what the person saw.
// If the decision applies to more than one call, the event contains a grant.

import { CadreError } from "../../errors.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { ALWAYS_DAYS, type GrantFor } from "../../permissions/permission.ts";
import type { ApprovalItem } from "../../projections/folds/approvals.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { callReceipt, DELEGATE, MERGE_CALL } from "../../projections/folds/tool-call.ts";
import { isTreeLimit } from "../../projections/usage/budgets.ts";
import { parseDelegation } from "../builtin-tools/declared/delegate.ts";
import type { LoopParts } from "../parts.ts";

export interface Decision {
  decision: "approve" | "edit" | "reject" | "answer";
  input?: unknown;
  answer?: string;
  messageId?: string;
  note?: string;
  automatic?: true;
  scope?: "once" | "run" | "tree" | "always";
  until?: number;
  limits?: { maxTokens?: number; maxCost?: number };
}

export function decisionEvent(
  item: ApprovalItem,
  decision: Decision & { by: string; concerns: string | undefined },
  state: RunState,
  parts: GrantParts & Pick<LoopParts, "digest">,
): EventBody {
  const { by, until, note, automatic, answer, messageId, limits, input } = decision;
  const raisesTree = limits !== undefined && isTreeLimit(item.limit ?? "");
  const scope = raisesTree ? "tree" : decision.scope;
  const isGrant = !raisesTree && scope !== undefined && scope !== "once";
  const payload: Payload<"APPROVAL_DECIDED"> = {
    itemId: item.itemId,
    decision: decision.decision,
    by,
    ...omitUndefined({ automatic, note, answer, messageId }),
    ...(answer !== undefined && item.choices !== undefined ? { picked: true } : {}),
    ...(decision.decision === "edit" ? { input } : {}),
    ...omitUndefined({ limits, scope, until, protected: decision.concerns }),
    ...(isGrant ? grantFields(item, decision, state, parts) : {}),
    ...receiptFor(item, decision, parts),
    ...omitUndefined({ hash: item.hash }),
  };
  return { type: "APPROVAL_DECIDED", payload };
}

/** The receipt: a hash of the exact call that the person approves. */
function receiptFor(
  { kind, tool, input }: ApprovalItem,
  { decision, input: edited }: Decision,
  { digest }: Pick<LoopParts, "digest">,
): { receipt?: string } {
  if (kind !== "tool" || (decision !== "approve" && decision !== "edit")) return {};
  return { receipt: callReceipt(digest, tool!, decision === "edit" ? edited : input) };
}

const DAY_MS = 24 * 60 * 60_000;

type GrantParts = Pick<LoopParts, "clock"> & { grantFor: GrantFor };

function grantFields(
  item: ApprovalItem,
  decision: Decision,
  state: RunState,
  parts: GrantParts,
): Pick<Payload<"APPROVAL_DECIDED">, "grant" | "folder" | "until"> {
  const always = parts.clock.now() + ALWAYS_DAYS * DAY_MS;
  const { scope, until = scope === "always" ? always : undefined } = decision;
  const { workspace, mergesInto = [] } = state.start!;
  const grant = ruleFor(item, decision, parts);
  // A worktree disappears with its run, so the grant applies to the original folder.
  return { grant, folder: mergesInto.at(-1) ?? workspace, ...omitUndefined({ until }) };
}

function ruleFor(item: ApprovalItem, { decision, input }: Decision, { grantFor }: GrantParts): string {
  const rule = grantRuleFor(item.tool, decision === "edit" ? input : item.input, grantFor);
  if (rule !== undefined && decision !== "reject") return rule;
  throw new CadreError(
    "UNPROCESSABLE",
    "This decision can only be given once: it cannot be made a rule. The approval stays open.",
  );
}

/** The grant rule for this call. Undefined if the call can be approved only once. */
export function grantRuleFor(
  tool: string | undefined,
  input: unknown,
  grantFor: GrantFor,
): string | undefined {
  // Every merge is shown to a person anew.
  return tool === undefined || tool === MERGE_CALL
    ? undefined
    : (delegationGrant(tool, input) ?? grantFor(tool, input));
}

/** A rule that covers this delegate and no other agent. */
function delegationGrant(tool: string, input: unknown): string | undefined {
  const asked = parseDelegation({ name: tool, input, invalid: undefined });
  return !asked || "problem" in asked ? undefined : `${DELEGATE}(${asked.name})`;
}
