// The words of the journal without its schemas: the page tells and filters by them, and loads no schema for it.

export const RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "suspended",
  "completed",
  "failed",
  "cancelled",
] as const;

/** What a run can wait for. */
export const WAITING_KINDS = [
  "child",
  "handoff",
  "timer",
  "provider",
  "slot",
  "approval",
  "child_hitl",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
  "storage",
  "definition_changed",
  "quarantine",
  "paused",
] as const;

export const TERMINAL_TYPES: ReadonlySet<string> = new Set([
  "RUN_COMPLETED",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "RUN_MOVED",
]);

/** J3: outcomes are written whoever hands them in; they need an open intent, not the newest epoch. */
export const OUTCOME_TYPES: ReadonlySet<string> = new Set([
  "AGENT_THOUGHT",
  "MODEL_CALL_FAILED",
  "TOOL_RESULT",
]);

/** Purposes whose thoughts are turns of the agent; the others are the runtime's own errands. */
export const isTurn = (purpose: string | undefined): boolean =>
  purpose === undefined || purpose === "turn" || purpose === "final";
