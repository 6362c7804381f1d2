import type { WaitingOn } from "../../../../src/journal/events.ts";

/** Kinds of waits that end when a person presses the resume button. The person has no question to answer. */
const RESUMABLE: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed", "storage"]);

export const isWaitingForResume = (waitingOn: WaitingOn | undefined): boolean =>
  RESUMABLE.has(waitingOn?.kind ?? "");
