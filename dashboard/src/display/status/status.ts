import type { WaitingOn } from "../../../../src/journal/events.ts";

/** A wait of these kinds ends when a person resumes the run with a button. There is no question to answer. */
const RESUMABLE: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed", "storage"]);

export const isWaitingForResume = (waitingOn: WaitingOn | undefined): boolean =>
  RESUMABLE.has(waitingOn?.kind ?? "");
