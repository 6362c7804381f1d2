// Outcomes of tool calls, in the words of the terminal and the page.

import type { Payload } from "../../journal/events.ts";
import type { CallOutcome } from "../folds/tool-call.ts";

export interface OutcomeLabel {
  label: string;
  tone: "good" | "bad" | "warn" | "muted";
}

export const CALL_OUTCOMES: Record<CallOutcome, OutcomeLabel> = {
  ok: { label: "done", tone: "good" },
  error: { label: "failed", tone: "bad" },
  stopped: { label: "stopped", tone: "warn" },
  denied: { label: "refused", tone: "bad" },
  deferred: { label: "put off", tone: "muted" },
  stale: { label: "not done, because something changed", tone: "warn" },
  unknown: { label: "outcome unknown", tone: "warn" },
  not_started: { label: "not started", tone: "muted" },
};

/** The finding of a probe, as a sentence. */
export const PROBE_WORDS: Record<Payload<"OUTCOME_PROBED">["found"], string> = {
  done: "it was done",
  not_done: "it was not done",
  cannot_tell: "can't tell",
};
