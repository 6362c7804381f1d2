// What the rules of now say of a call that was judged before. Whether another agent may do more than this one, by its file,
// is not looked at again: where that made a call ask, only a deny is another verdict.

import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { GRANT_RULE, type Verdict } from "../../permissions/permission.ts";
import { effectiveInput, newStepCall, type ToolCall } from "../../projections/folds/tool-call.ts";
import { isQuestion } from "../builtin-tools/declared/ask-user.ts";
import { DELEGATE, findDelegate, isDelegation, parseDelegation } from "../builtin-tools/declared/delegate.ts";
import { reachesOthers } from "../builtin-tools/index.ts";
import { applyUnattendedPolicy, judgeCall, judgeDelegation, judgeQuestion } from "../calls/propose.ts";
import { isStandIn } from "../calls/recorded-results.ts";
import type { RunView } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { NOT_MADE } from "../propose-made.ts";

type Parts = Pick<LoopParts, "judge" | "authority">;

/** What the rules of now say of a call, where that is something else than what was recorded. */
export function changedVerdict(view: RunView, event: JournalEvent, parts: Parts): string | undefined {
  if (event.type !== "TOOL_PROPOSED" || isGiven(event.payload.rule)) return undefined;
  const { name, verdict, rule } = event.payload;
  const judged = judgedNow(view, event, parts);
  if (!judged) return undefined;
  const now = applyUnattendedPolicy(judged, view);
  // A rule that denies comes first.
  if (now.verdict !== "deny" && (isStandIn(rule) || isRaised(name, rule))) return undefined;
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

/** By a person's grant, or because there is no such call to make. */
const isGiven = (rule: string): boolean => rule.startsWith(GRANT_RULE) || rule === NOT_MADE;

/** Undefined: the agent of now has no such delegate, which its tools tell. */
function judgedNow(view: RunView, event: EventOf<"TOOL_PROPOSED">, parts: Parts): Verdict | undefined {
  const { toolCallId, name, effect, input } = event.payload;
  const call = view.state.calls.get(toolCallId) ?? newStepCall(toolCallId, name, input);
  const grants = grantsOf(view);
  const by = { ...parts, clock: { now: () => event.ts } };
  if (isDelegation(call.name)) return delegationNow(call, view, by);
  if (isQuestion(call.name)) return judgeQuestion(call, grants, view, by);
  return judgeCall({ name }, effectiveInput(call), effect, grants, view, by);
}

function delegationNow(
  call: ToolCall,
  view: RunView,
  by: Parameters<typeof judgeDelegation>[3],
): Verdict | undefined {
  const asked = parseDelegation({ ...call, input: effectiveInput(call) });
  if ("problem" in asked || !findDelegate(view.definition.delegates ?? [], asked.name)) return undefined;
  return judgeDelegation(asked, grantsOf(view), view, by);
}

/** What was given beyond the run and has decided stands as recorded; revoked since, it no longer would, which no journal tells. */
const grantsOf = ({ state }: RunView) => state.grants.filter(({ scope }) => scope === "run");

/** A67: because the other agent may do more, once somebody else's words had come in. */
const isRaised = (name: string, rule: string): boolean =>
  (name === DELEGATE || reachesOthers(name)) && rule.includes("taint ask:");
