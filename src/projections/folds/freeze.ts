// Freezing pauses a run and everything below it until the branch is thawed. The functions are pure, so that all stores agree.
//  Each run's journal lists the frozen branches to which the run belongs. Nested branches can be frozen and thawed in any order.
//  A run continues when none of its branches is frozen. If it was paused or quarantined before, it returns to that state.

import type { EventBody, WaitingOn } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "./run-row.ts";

export interface FreezeRequest {
  by: string;
  /** True to thaw the branch. Otherwise it is frozen. */
  thaw?: true;
  /** The key of the event in each journal. */
  key: string;
}

/** The event to append to a run in the branch of `top`. Undefined if nothing changes for this run. */
export const freezeEvent = (row: RunRow, top: string, request: FreezeRequest): EventBody | undefined =>
  request.thaw ? thaw(row, top, request) : freeze(row, top, request);

function freeze({ waitingOn }: RunRow, top: string, { by, key }: FreezeRequest): EventBody | undefined {
  const tops = waitingOn?.frozen ?? [];
  if (tops.includes(top)) return undefined;
  const heldBefore = earlierPause(waitingOn);
  return suspendedEvent(
    { kind: "paused", detail: `Frozen by ${by}.`, frozen: [...tops, top], ...(heldBefore && { heldBefore }) },
    key,
  );
}

function thaw({ waitingOn }: RunRow, top: string, { by, key }: FreezeRequest): EventBody | undefined {
  if (!waitingOn?.frozen?.includes(top)) return undefined;
  const tops = waitingOn.frozen.filter((each) => each !== top);
  const { heldBefore } = waitingOn;
  if (tops.length > 0) return suspendedEvent({ ...waitingOn, frozen: tops }, key);
  if (heldBefore) return suspendedEvent(heldBefore, key);
  return { type: "RUN_RESUMED", payload: { by }, key };
}

function earlierPause(waitingOn: WaitingOn | undefined): WaitingOn["heldBefore"] {
  if (!waitingOn) return undefined;
  const { kind, detail, frozen, heldBefore } = waitingOn;
  if (frozen) return heldBefore;
  if (kind !== "paused" && kind !== "quarantine" && kind !== "definition_changed") return undefined;
  return omitUndefined({ kind, detail });
}

const suspendedEvent = (waitingOn: WaitingOn, key: string): EventBody => ({
  type: "RUN_SUSPENDED",
  payload: { waitingOn },
  key,
});
