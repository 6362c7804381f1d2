// U01: what a run waits for, in words. One column says it all: you, a provider, a child, a time, a worker.

import type { ListedRun } from "../../../../src/api/client/types.ts";

export interface WaitingFor {
  text: string;
  /** A person has to do something. */
  you: boolean;
}

type Waiting = Pick<ListedRun, "waitingOn" | "awaited" | "answered" | "cancelRequested" | "endedAt">;

export function waitingFor({
  waitingOn,
  awaited = [],
  answered,
  cancelRequested,
  endedAt,
}: Waiting): WaitingFor | undefined {
  if (!waitingOn || cancelRequested || endedAt !== undefined) return undefined;
  if (answered) return other("a worker");
  const { kind, until, items = [], blockers = [] } = waitingOn;
  const names = [...new Set(awaited.map(({ agent }) => agent))].join(", ");
  const time = until === undefined ? "" : ` until ${hourAndMinute(until)}`;
  switch (kind) {
    case "child":
    case "handoff":
      return other(items.length > 1 ? `${items.length} children: ${names}` : `child ${names}`.trim());
    case "child_hitl":
      return you(
        names === "" ? "below" : blockers.length > 1 ? `${blockers.length} below: ${names}` : `in ${names}`,
      );
    case "timer":
      return other(`timer${time}`);
    case "provider":
      return other(`provider${time}`);
    case "slot":
      return other("a free place");
    case "paused":
      return other(waitingOn.frozen ? "its branch to be thawed" : "somebody to let it go on");
    default:
      return you(REASONS[kind]);
  }
}

const REASONS = {
  approval: "an approval",
  question: "a question",
  outcome_unknown: "what became of a call",
  budget: "the budget is used up",
  loop: "it repeats itself",
  storage: "the store cannot be written",
  definition_changed: "its agent was changed",
  quarantine: "its journal cannot be read",
};

const you = (text: string): WaitingFor => ({ text, you: true });
const other = (text: string): WaitingFor => ({ text, you: false });

const hourAndMinute = (ts: number): string =>
  new Date(ts).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
