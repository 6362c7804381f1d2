// What the rules of now say of a call that was judged before. Whether another agent may do more than this one, by its file,
// is not looked at again: where that made a call ask, only a deny is another verdict.

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

/** What the rules of now say of a call, where that is something else than what was recorded. */
export function changedVerdict(view: RunView, event: JournalEvent, parts: Parts): string | undefined {
  if (event.type !== "TOOL_PROPOSED" || isGiven(event.payload)) return undefined;
  const { name, verdict, basis } = event.payload;
  const judged = judgedNow(view, event, parts);
  if (!judged) return undefined;
  const now = applyUnattendedPolicy(judged, view);
  // A rule that denies comes first.
  if (now.verdict !== "deny" && (basis === "recorded" || isEscalation(event.payload))) return undefined;
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

/** A grant decided, or there is no such call to make: the rules have no say in it. */
const isGiven = ({ basis }: Payload<"TOOL_PROPOSED">): boolean => basis === "grant" || basis === "impossible";

/** Undefined: the agent of now has no such delegate, which its tools tell. */
function judgedNow(view: RunView, event: EventOf<"TOOL_PROPOSED">, parts: Parts): Verdict | undefined {
  const { toolCallId, name, effect, input } = event.payload;
  const call = view.state.calls.get(toolCallId) ?? newStepCall(toolCallId, name, input);
  const grants = grantsOf(view);
  const by = { ...parts, clock: { now: () => event.ts } };
  const builtin = declaredTool(call.name);
  if (builtin?.kind === "delegation") return delegationNow(call, view, by);
  if (builtin?.kind === "question") return judgeQuestion(call, grants, view, by);
  return judgeCall({ name }, effectiveInput(call), effect, grants, view, by);
}

function delegationNow(
  call: ToolCall,
  view: RunView,
  by: Parameters<typeof judgeDelegation>[3],
): Verdict | undefined {
  const asked = parseDelegation({ ...call, input: effectiveInput(call) });
  if (!asked || "problem" in asked || !findDelegate(view.definition.delegates ?? [], asked.name))
    return undefined;
  return judgeDelegation(asked, grantsOf(view), view, by);
}

/** What was given beyond the run and has decided stands as recorded; revoked since, it no longer would, which no journal tells. */
const grantsOf = ({ state }: RunView) => state.grants.filter(({ scope }) => scope === "run");

/** A67: a person was asked because the other agent may do more, after untrusted input had come in. */
function isEscalation({ name, basis }: Payload<"TOOL_PROPOSED">): boolean {
  const tool = declaredTool(name);
  return basis === "taint" && (tool?.kind === "delegation" || tool?.leavesTree === true);
}
