// The external program that does an agent's work: its process, and the number of its calls, texts and cost reports so far,
// from which the next ones get their ids.

import type { JournalEvent } from "../../journal/events.ts";
import type { RunnerStarted } from "../../journal/run.ts";
import { PROMPT } from "./tool-call.ts";

export interface RunnerRecord {
  /** The latest process. It may have ended long ago. */
  started: RunnerStarted | undefined;
  /** A person was asked what the process had done, so its session is not continued. */
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
