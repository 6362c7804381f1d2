// Which runs a person resumes with a button, instead of answering a question.

import type { WaitingOn } from "../../../../src/journal/events.ts";

/** These waits end when a person resumes the run; there is no question to answer. */
const RESUMABLE: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed", "storage"]);

export const isWaitingForResume = (waitingOn: WaitingOn | undefined): boolean =>
  RESUMABLE.has(waitingOn?.kind ?? "");
