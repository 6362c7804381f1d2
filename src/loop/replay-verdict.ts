// What the rules of now say of a call that was judged before.

import type { JournalEvent } from "../journal/events.ts";
import { GRANTED } from "../permissions/permission.ts";
import { ASK_USER, effectiveInput } from "../projections/tool-call.ts";
import { DELEGATE, isDelegation } from "./delegation.ts";
import { isErrand } from "./errands.ts";
import type { LoopParts } from "./parts.ts";
import { attended, judgeCall } from "./propose.ts";
import { NOT_MADE } from "./propose-made.ts";
import type { RunView } from "./run-journal.ts";
import { isStandIn } from "./stand-in.ts";

type Parts = Pick<LoopParts, "judge" | "authority">;

/** What the rules of now say of a call, where that is something else than what was recorded. */
export function otherVerdict(view: RunView, event: JournalEvent, parts: Parts): string | undefined {
  if (event.type !== "TOOL_PROPOSED") return undefined;
  const { toolCallId, name, effect, verdict, rule, input } = event.payload;
  if (isDelegation(name) || name === DELEGATE || isErrand(name) || name === ASK_USER || isGiven(rule))
    return undefined;
  const call = view.state.calls.get(toolCallId);
  const asked = call ? effectiveInput(call) : input;
  const clock = { now: () => event.ts };
  const now = attended(
    judgeCall({ name }, asked, effect, view.state.grants, view, { ...parts, clock }),
    view,
  );
  // A rule that denies comes before what is recorded.
  if (isStandIn(rule) && now.verdict !== "deny") return undefined;
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

/** By a person's grant, or because there is no such call to make. */
const isGiven = (rule: string): boolean => rule.startsWith(GRANTED) || rule === NOT_MADE;
