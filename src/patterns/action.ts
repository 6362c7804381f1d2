// What `decide` may say should happen next. Imperative and complete: `perform` does exactly this and looks up nothing.

import type { EventBody, Purpose, StopReason, WaitingOn } from "../journal/events.ts";

export interface Ending {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  details?: string | undefined;
  warnings?: string[] | undefined;
  suggestions?: string[] | undefined;
  output?: unknown;
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
  | { type: "end"; ending: Ending };
