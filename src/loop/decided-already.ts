// A word on what has been decided: the very same again is no fault (a lost answer, two who agree), any other is refused with who
// decided, when and what. What was left unsaid the second time, a note or until when, makes no other decision.

import { CadreError } from "../errors.ts";
import type { Payload } from "../journal/events.ts";
import type { Decision } from "./commands/decision-event.ts";

type Decided = Payload<"APPROVAL_DECIDED"> & { ts: number };
type Verdict = Payload<"OUTCOME_DECIDED">;

export function confirmSameDecision(before: Decided, decision: Decision): { alreadyDecided: true } {
  const same =
    before.decision === decision.decision &&
    before.answer === decision.answer &&
    isOrUnsaid(before.note, decision.note) &&
    isOrUnsaid(before.until, decision.until) &&
    isAsWide(before, decision) &&
    JSON.stringify(before.input) === JSON.stringify(decision.input);
  if (same) return { alreadyDecided: true };
  const { by, ts, answer } = before;
  const { scope = "once" } = before;
  throw refusal({ by, ts, what: inWords(before) }, before.decision, {
    ...(mayBeWider(before) ? { scope } : {}),
    ...(answer === undefined ? {} : { answer }),
  });
}

export function confirmSameVerdict(
  before: Verdict & { ts: number },
  { verdict, output, note }: Omit<Verdict, "toolCallId" | "by">,
): { alreadyDecided: true } {
  const same = before.verdict === verdict && before.output === output && isOrUnsaid(before.note, note);
  if (same) return { alreadyDecided: true };
  const { by, ts } = before;
  throw refusal({ by, ts, what: before.verdict }, before.verdict);
}

const isOrUnsaid = <T>(before: T | undefined, now: T | undefined): boolean =>
  now === undefined || before === now;

/** A budget that is raised is as wide as what it is the budget of, whatever scope was said with it. */
function isAsWide(before: Decided, { scope = "once", limits }: Decision): boolean {
  const isSameLimit =
    before.limits?.maxTokens === limits?.maxTokens && before.limits?.maxCost === limits?.maxCost;
  return isSameLimit && (limits !== undefined || (before.scope ?? "once") === scope);
}

const mayBeWider = ({ decision }: Decided): boolean => decision === "approve" || decision === "edit";

function inWords(before: Decided): string {
  const { decision, answer, scope = "once", limits = {} } = before;
  if (answer !== undefined) return `answer ${JSON.stringify(answer)}`;
  if (!mayBeWider(before)) return decision;
  return [`${decision} ${scope}`, ...Object.entries(limits).map((limit) => limit.join(" "))].join(", ");
}

const refusal = (
  { by, ts, what }: { by: string; ts: number; what: string },
  decision: string,
  more: object = {},
): CadreError =>
  new CadreError(
    "ALREADY_DECIDED",
    `${by} has decided already (${what}, ${new Date(ts).toISOString()}). Your decision was not recorded.`,
    { by, at: ts, decision, ...more },
  );
