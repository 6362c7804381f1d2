// What `decide` may say should happen next. Imperative and complete: `perform` does exactly this and looks up nothing.

import type { EventBody, FirstCause, Purpose, StopReason, WaitingOn } from "../journal/events.ts";

export interface Ending {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  details?: string | undefined;
  warnings?: string[] | undefined;
  suggestions?: string[] | undefined;
  output?: unknown;
  /** Where a failure began, if it began below. */
  cause?: FirstCause | undefined;
}

export type Action =
  /** The run has ended: there is nothing to do, ever. */
  | { type: "stop" }
  /** Nothing to do until a signal, or until then. */
  | { type: "rest"; wakeAt: number | undefined }
  /** Say in the journal what is waited for, and rest. */
  | { type: "suspend"; waitingOn: WaitingOn; wakeAt: number | undefined }
  /** Say in the journal that the run goes on. */
  | { type: "resume"; by: string }
  /** Write these down; no effect is involved. */
  | { type: "record"; events: EventBody[] }
  | { type: "call-model"; callId: string; attempt: number; model: string; purpose: Purpose }
  /** Judge calls that have no verdict yet. */
  | { type: "propose"; calls: string[] }
  /** Begin these calls together. */
  | { type: "run-tools"; calls: string[] }
  /** Start the children that these calls ask for. */
  | { type: "start-children"; calls: string[] }
  /** What the loop does itself: see to children that nobody waits for, send a message. */
  | { type: "run-errand"; call: string }
  /** Bring in what a child that worked apart has done. */
  | { type: "merge-child"; runId: string }
  /** The run is over but for its children: have them cancelled, and wait. */
  | { type: "cancel-children"; runIds: string[]; waitingOn: WaitingOn }
  | { type: "end"; ending: Ending };
