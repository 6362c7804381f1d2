// U01, S2-82: the status of a run as one word and one tone, the same in every list, tree and badge.

import type { RunSummary } from "../../../../src/api/client/types.ts";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import type { Tone } from "../../ui/badge.tsx";

export type RunForStatus = Pick<
  RunSummary | RunRow,
  "status" | "waitingOn" | "stopReason" | "cancelRequested"
> & { answered?: boolean | undefined };

export type StatusWord =
  | "completed"
  | "moved"
  | "cancelled"
  | "timeout"
  | "failed"
  | "stopping"
  | "answered"
  | "frozen"
  | "paused"
  | "needs you"
  | "waiting for child"
  | "waiting"
  | "queued"
  | "running";

export interface RunStatusLabel {
  word: StatusWord;
  tone: Extract<Tone, "good" | "muted" | "bad" | "warn" | "info">;
  /** A person has to do something. */
  needsPerson: boolean;
}

export function statusLabel(run: RunForStatus): RunStatusLabel {
  const { status, waitingOn, stopReason, cancelRequested, answered } = run;
  const plain = (word: StatusWord, tone: RunStatusLabel["tone"]): RunStatusLabel => ({
    word,
    tone,
    needsPerson: false,
  });
  if (status === "completed") return plain("completed", "good");
  if (status === "cancelled") return plain(stopReason === "moved" ? "moved" : "cancelled", "muted");
  if (status === "failed") return plain(stopReason === "max_duration" ? "timeout" : "failed", "bad");
  if (cancelRequested) return plain("stopping", "warn");
  if (answered) return plain("answered", "info");
  if (status === "suspended") {
    if (waitingOn?.kind === "paused") return plain(waitingOn.frozen ? "frozen" : "paused", "warn");
    return { word: "needs you", tone: "warn", needsPerson: true };
  }
  if (status === "waiting") return plain("waiting", "info");
  return plain(status === "pending" ? "queued" : "running", "info");
}

/** How the run ended and after how long, for example "Completed in 12 s". */
export function endingText(run: RunForStatus, time: string): string {
  const { word } = statusLabel(run);
  if (word === "completed") return `Completed in ${time}`;
  return `${word === "timeout" ? "Timed out" : word.charAt(0).toUpperCase() + word.slice(1)} after ${time}`;
}

/** These waits end when a person resumes the run; there is no question to answer. */
const RESUMABLE: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed", "storage"]);

export const isWaitingForResume = (waitingOn: RunForStatus["waitingOn"]): boolean =>
  RESUMABLE.has(waitingOn?.kind ?? "");
