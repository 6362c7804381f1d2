// Judges a recorded call by the current rules. It is not checked again whether another agent may do more than this one (A67).
// If that made a call ask, only a deny differs.

import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import type { Verdict } from "../../permissions/permission.ts";
import { effectiveInput, newStepCall, type ToolCall } from "../../projections/folds/tool-call.ts";
import { judgeQuestion } from "../builtin-tools/ask-user.ts";
import { findDelegate, parseDelegation } from "../builtin-tools/declared/delegate.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import { judgeDelegation } from "../builtin-tools/delegate.ts";
import { applyUnattendedPolicy, judgeCall } from "../calls/judge.ts";
import type { RunView } from "../drive/decide-turn.ts";
import type { LoopParts } from "../parts.ts";

type Parts = Pick<LoopParts, "judge" | "authority">;

/** The current verdict on a call, if it differs from the recorded one. */
export function changedVerdict(view: RunView, event: JournalEvent, parts: Parts): string | undefined {
  if (event.type !== "TOOL_PROPOSED" || isFixed(event.payload)) return undefined;
  const { name, verdict, basis } = event.payload;
  const judged = judgeNow(view, event, parts);
  if (!judged) return undefined;
  const now = applyUnattendedPolicy(judged, view);
  // A rule that denies takes precedence.
  if (now.verdict !== "deny" && (basis === "recorded" || isEscalation(event.payload))) return undefined;
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

/** Whether the rules did not decide: a grant did, or the call could not be made. */
const isFixed = ({ basis }: Payload<"TOOL_PROPOSED">): boolean => basis === "grant" || basis === "impossible";

/** The current verdict. Undefined: the agent no longer has this delegate, which its list of tools shows. */
function judgeNow(view: RunView, event: EventOf<"TOOL_PROPOSED">, parts: Parts): Verdict | undefined {
  const { toolCallId, name, effect, input } = event.payload;
  const call = view.state.calls.get(toolCallId) ?? newStepCall(toolCallId, name, input);
  const grants = grantsOf(view);
  const by = { ...parts, clock: { now: () => event.ts } };
  const builtin = declaredTool(call.name);
  if (builtin?.kind === "delegation") return judgeDelegationNow(call, view, by);
  if (builtin?.kind === "question") return judgeQuestion(call, grants, view, by);
  return judgeCall({ name }, effectiveInput(call), effect, grants, view, by);
}

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

/** Only grants of the run itself. A wider grant that decided is taken as recorded; whether it was revoked since is in no journal. */
const grantsOf = ({ state }: RunView) => state.grants.filter(({ scope }) => scope === "run");

/** A67: whether a person was asked because, after untrusted input, the other agent may do more. */
function isEscalation({ name, basis }: Payload<"TOOL_PROPOSED">): boolean {
  const tool = declaredTool(name);
  return basis === "taint" && (tool?.kind === "delegation" || tool?.leavesTree === true);
}
