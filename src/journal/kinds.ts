// Enums and sets of event types without the schemas, so that the page can use them without loading zod.

export const RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "suspended",
  "completed",
  "failed",
  "cancelled",
] as const;

/** The reasons for which a run can wait. */
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

/** J3: the store accepts an outcome from any driver, even one that lost its lease. It needs an open intent, not the newest epoch. */
export const OUTCOME_TYPES: ReadonlySet<string> = new Set([
  "AGENT_THOUGHT",
  "MODEL_CALL_FAILED",
  "TOOL_RESULT",
]);

/** Whether a model call is a turn of the agent. The other purposes serve the runtime itself. */
export const isTurn = (purpose: string | undefined): boolean =>
  purpose === undefined || purpose === "turn" || purpose === "final";
