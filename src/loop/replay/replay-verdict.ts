// Judges a recorded call by the current rules. Does not check again whether a delegate has more rights (A67).
// If the check A67 made approval necessary in the recorded run, only a deny is a difference.

import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import type { Verdict } from "../../permissions/permission.ts";
import { effectiveInput, newStepCall, type ToolCall } from "../../projections/folds/tool-call.ts";
import { judgeQuestion } from "../builtin-tools/ask-user.ts";
import { findDelegate, parseDelegation } from "../builtin-tools/declared/delegate.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import { judgeDelegation } from "../builtin-tools/delegate.ts";
import { judgeCall, settleVerdict } from "../calls/judge.ts";
import type { RunView } from "../drive/decide-turn.ts";
import type { LoopParts } from "../parts.ts";

type Parts = Pick<LoopParts, "judge" | "authority">;

/** The current verdict on a call, if it differs from the recorded one. */
export function changedVerdict(view: RunView, event: JournalEvent, parts: Parts): string | undefined {
  if (event.type !== "TOOL_PROPOSED" || isFixed(event.payload)) return undefined;
  const { name, verdict, basis } = event.payload;
  const judged = judgeNow(view, event, parts);
  if (!judged) return undefined;
  const now = settleVerdict(judged, callOf(view, event), view);
  // A rule that denies the call takes precedence over a recorded result and over A67.
  if (now.verdict !== "deny" && (basis === "recorded" || isEscalation(event.payload))) return undefined;
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

/** True if the verdict does not come from a rule: a grant allowed the call, or the call could not be made. */
const isFixed = ({ basis }: Payload<"TOOL_PROPOSED">): boolean => basis === "grant" || basis === "impossible";

/** The current verdict. Undefined if the agent no longer has this delegate: the comparison of tool lists reports such a change. */
function judgeNow(view: RunView, event: EventOf<"TOOL_PROPOSED">, parts: Parts): Verdict | undefined {
  const { name, effect } = event.payload;
  const call = callOf(view, event);
  const grants = grantsOf(view);
  const by = { ...parts, clock: { now: () => event.ts } };
  const builtin = declaredTool(call.name);
  if (builtin?.kind === "delegation") return judgeDelegationNow(call, view, by);
  if (builtin?.kind === "question") return judgeQuestion(call, grants, view, by);
  const input = effectiveInput(call);
  const judged = builtin?.judgedInput ? builtin.judgedInput({ ...call, input }) : input;
  return judgeCall({ name }, judged, effect, grants, view, by);
}

const callOf = (view: RunView, { payload }: EventOf<"TOOL_PROPOSED">): ToolCall =>
  view.state.calls.get(payload.toolCallId) ?? newStepCall(payload.toolCallId, payload.name, payload.input);

function judgeDelegationNow(
  call: ToolCall,
  view: RunView,
  by: Parameters<typeof judgeDelegation>[3],
): Verdict | undefined {
  const asked = parseDelegation({ ...call, input: effectiveInput(call) });
  if (!asked || "problem" in asked || !findDelegate(view.definition.delegates ?? [], asked.name))
    return undefined;
  return judgeDelegation(asked, grantsOf(view), view, by);
}

/** The grants for this run only. Wider grants are left out, because a journal does not show whether they were revoked. */
const grantsOf = ({ state }: RunView) => state.grants.filter(({ scope }) => scope === "run");

/** A67: true if a person was asked because a tainted run gave work to an agent with more rights. */
function isEscalation({ name, basis }: Payload<"TOOL_PROPOSED">): boolean {
  const tool = declaredTool(name);
  return basis === "taint" && (tool?.kind === "delegation" || tool?.leavesTree === true);
}
