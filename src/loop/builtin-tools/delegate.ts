// Proposes a delegation of any shape. The proposal always has the tool name `delegate`.
// The agent's list of tools does not apply to delegations: the agent's file lists the delegates separately.

import { omitUndefined } from "../../omit-undefined.ts";
import { toolResult } from "../../patterns/events.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import type { Grant, Verdict } from "../../permissions/permission.ts";
import { DELEGATE } from "../../projections/folds/tool-call.ts";
import { delegationEscalation } from "../calls/escalation.ts";
import { type JudgeParts, judgeCall, proposalEvent, settleVerdict } from "../calls/judge.ts";
import { delegationBlastRadius } from "../children/blast-radius.ts";
import { checkDelegation } from "../children/check-delegation.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import {
  DELEGATION_TOOLS,
  type DelegationRequest,
  findDelegate,
  parseDelegation,
  resolveContextMode,
} from "./declared/delegate.ts";

const propose: BuiltinTool["propose"] = async (call, grants, run, parts) => {
  const asked = parseDelegation(call)!;
  if ("problem" in asked) return toolResult(call.id, asked.problem, "error");
  const refused = await checkDelegation(call, asked, run, parts);
  if (refused) return toolResult(call.id, refused.output, refused.outcome);
  const raises = await delegationEscalation(asked, run, parts);
  const judged = settleVerdict(judgeDelegation({ ...asked, raises }, grants, run, parts), call, run);
  const context = await resolveContextMode(asked, run, parts);
  const blastRadius = judged.verdict === "ask" ? await delegationBlastRadius(asked, run, parts) : undefined;
  const proposal = {
    name: DELEGATE,
    effect: "idempotent" as const,
    ...judged,
    ...omitUndefined({ context: context === "none" ? undefined : context, blastRadius }),
  };
  return proposalEvent(call, proposal, `Start ${asked.name}:\n${asked.task}`, run, parts);
};

export const DELEGATIONS: readonly BuiltinTool[] = DELEGATION_TOOLS.map((tool) => ({ ...tool, propose }));

/** Judges the delegate by its name in the agent's file and by its full name. If a rule denies either name, the delegation is denied. */
export function judgeDelegation(
  { raises, ...asked }: DelegationRequest & { raises?: string | undefined },
  grants: readonly Grant[],
  view: DecisionView,
  parts: JudgeParts,
): Verdict {
  const delegate = findDelegate(view.definition.delegates ?? [], asked.name)!;
  const verdicts = [delegate.name, delegate.agent].map((agent) =>
    judgeCall({ name: DELEGATE, raises }, { ...asked, agent }, "idempotent", grants, view, parts),
  );
  const denied = verdicts.find(({ verdict }) => verdict === "deny");
  // A grant contains the name that the person saw. The grant also covers the delegate's other name.
  const granted = verdicts.find(({ basis }) => basis === "grant");
  return denied ?? granted ?? verdicts.find(({ verdict }) => verdict === "ask") ?? verdicts[0]!;
}
