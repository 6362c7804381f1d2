// U01: the text of the column "Waiting for": you, a provider, a child, a time or a worker.

import type { ListedRun } from "../../../../src/api/client/types.ts";
import { shortTime } from "../../../../src/projections/words/format.ts";
import { describeWait } from "../../../../src/projections/words/waits.ts";

export interface WaitingFor {
  text: string;
  /** Whether the run waits for a person. */
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
  const time = until === undefined ? "" : ` until ${shortTime(until, Date.now())}`;
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
    case "paused":
      return other(describeWait(waitingOn).subject);
    default:
      return you(describeWait(waitingOn).subject);
  }
}

const you = (text: string): WaitingFor => ({ text, you: true });
const other = (text: string): WaitingFor => ({ text, you: false });
