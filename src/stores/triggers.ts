// What starts runs by itself: schedules and inbound hooks. The tables hold how far each one has come, and what became of each tick or delivery.
//  TR1  An entry is written before its run is started, and it contains the request. The first writer of an entry wins,
//       so all workers start the same run for it, under the same idempotency key.
//  TR2  An entry is settled once. A worker that decides later changes nothing.

import type { RunId } from "../ids.ts";

export interface TriggerState {
  /** `schedule/nightly` or `hook/alerts`. On a shared store, the name of the project's folder follows. */
  name: string;
  /** Every tick up to this time has an entry, or was left out on purpose. */
  reached: number;
  pausedAt: number | undefined;
  pausedBy: string | undefined;
}

export const TRIGGER_OUTCOMES = [
  "pending",
  "started",
  "joined",
  "skipped",
  "missed",
  "filtered",
  "failed",
] as const;
/** `pending` means that the run is not started yet. The other outcomes are final, except that a failed entry can be made pending again. */
export type TriggerOutcome = (typeof TRIGGER_OUTCOMES)[number];

export interface TriggerEntry {
  trigger: string;
  /** The tick's time in ISO format, or the id of the delivery. It is unique for the trigger. */
  id: string;
  /** The time of the tick, or the time when the delivery arrived. */
  at: number;
  /** The entry must not be started before this time. */
  startAt: number;
  outcome: TriggerOutcome;
  runId: RunId | undefined;
  /** Why the entry has this outcome. */
  detail: string;
  /** The request or the payload, as JSON. */
  payload: string;
}

export interface Settlement {
  outcome: TriggerOutcome;
  detail: string;
  runId?: RunId | undefined;
}

export interface Triggers {
  /** Makes the trigger known, with all ticks up to `at` left out. Returns the stored state, which is older if the trigger was known. */
  begin(name: string, at: number): Promise<TriggerState>;
  states(): Promise<TriggerState[]>;
  /** Sets the time up to which the ticks were dealt with, if it is still `from`. */
  advance(name: string, from: number, to: number): Promise<boolean>;
  /** `by` pauses the trigger. Undefined resumes it. */
  pause(name: string, by: string | undefined): Promise<boolean>;
  /** TR1: writes the entry unless one with this id exists. Returns the stored entry. */
  claim(entry: TriggerEntry): Promise<{ entry: TriggerEntry; existed: boolean }>;
  /** TR2: settles a pending entry. Returns false if the entry is not pending. */
  settle(trigger: string, id: string, settlement: Settlement): Promise<boolean>;
  /** Makes a failed entry pending again, with a new request. Returns false if it has not failed. */
  reopen(trigger: string, id: string, payload: string): Promise<boolean>;
  entry(trigger: string, id: string): Promise<TriggerEntry | undefined>;
  /** Pending entries that may start now, oldest first. */
  pending(trigger: string, now: number, limit: number): Promise<TriggerEntry[]>;
  /** Entries, latest first. */
  entries(trigger: string, limit: number): Promise<TriggerEntry[]>;
  /** The number of entries since a time. */
  countSince(trigger: string, since: number): Promise<number>;
}
