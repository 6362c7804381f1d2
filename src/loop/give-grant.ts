// What a person allows beyond one call: a rule as narrow as the call, the folder in which it counts, and until when.

import { CadreError } from "../errors.ts";
import type { Payload } from "../journal/events.ts";
import { ALWAYS_DAYS, type GrantFor } from "../permissions/permission.ts";
import type { ApprovalItem } from "../projections/folds/approvals.ts";
import type { RunState } from "../projections/folds/run-state.ts";
import { DELEGATE } from "../projections/folds/tool-call.ts";
import { parseDelegation } from "./builtin-tools/declared/delegate.ts";
import type { LoopParts } from "./parts.ts";

const DAY_MS = 24 * 60 * 60_000;

interface Wider {
  decision: string;
  input?: unknown;
  scope?: string;
  until?: number;
}

type Given = Pick<Payload<"APPROVAL_DECIDED">, "grant" | "folder" | "until">;
type Parts = Pick<LoopParts, "clock"> & { grantFor: GrantFor };

export function grantFields(item: ApprovalItem, decision: Wider, state: RunState, parts: Parts): Given {
  const { scope, until = scope === "always" ? parts.clock.now() + ALWAYS_DAYS * DAY_MS : undefined } =
    decision;
  const { workspace, mergesInto = [] } = state.start!;
  return {
    grant: ruleFor(item, decision, parts),
    // A worktree is gone with its run: what is allowed in it is allowed in the folder that it is a copy of.
    folder: mergesInto.at(-1) ?? workspace,
    ...(until === undefined ? {} : { until }),
  };
}

function ruleFor(item: ApprovalItem, { decision, input }: Wider, { grantFor }: Parts): string {
  const rule = grantRuleFor(item.tool, decision === "edit" ? input : item.input, grantFor);
  if (rule !== undefined && decision !== "reject") return rule;
  throw new CadreError(
    "UNPROCESSABLE",
    "This decision can only be given once: it cannot be made a rule. The approval stays open.",
  );
}

/** The rule that a wider yes to this call comes to; undefined: it can only be given once. */
export function grantRuleFor(
  tool: string | undefined,
  input: unknown,
  grantFor: GrantFor,
): string | undefined {
  return tool === undefined ? undefined : (delegationGrant(tool, input) ?? grantFor(tool, input));
}

/** For this one delegate, not for whoever else it may start. */
function delegationGrant(tool: string, input: unknown): string | undefined {
  const asked = parseDelegation({ name: tool, input, invalid: undefined });
  return !asked || "problem" in asked ? undefined : `${DELEGATE}(${asked.name})`;
}
