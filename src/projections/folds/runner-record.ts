// What is known of the program that does an agent's work: by what it is found again, and how far its calls and its words
// are counted, and what it said of its cost, so that none of them has the name of another.

import type { JournalEvent } from "../../journal/events.ts";
import type { RunnerStarted } from "../../journal/run.ts";
import { PROMPT } from "./tool-call.ts";

export interface RunnerRecord {
  /** The latest process; it may have ended long ago. */
  started: RunnerStarted | undefined;
  /** A person was asked what became of it: its session is not gone on with. */
  isLost: boolean;
  calls: number;
  said: number;
  spent: number;
}

export const emptyRunner = (): RunnerRecord => ({
  started: undefined,
  isLost: false,
  calls: 0,
  said: 0,
  spent: 0,
});

export function trackRunner(record: RunnerRecord, event: JournalEvent): void {
  if (event.type === "RUNNER_STARTED") {
    record.started = event.payload;
    record.isLost = false;
  }
  if (event.type === "RUNNER_SAID") record.said++;
  if (event.type === "RUNNER_SPENT") record.spent++;
  if (event.type !== "TOOL_PROPOSED" || (event.payload.round ?? 1) > 1) return;
  record.calls++;
  if (event.payload.name === PROMPT) record.isLost = true;
}
