// A model call as a row with exactly the columns of the S2 document.

import type { ContextMode } from "../journal/definition.ts";

export interface MessageRow {
  id: number;
  /** The run's session, or its root run if it has none. */
  session_id: string;
  /** The parent's model call that delegated. */
  parent_message_id: number | null;
  started_at: string;
  completed_at: string | null;
  duration_ms: number | null;
  agent_role: string;
  agent_depth: number;
  model_id: string;
  /** Hash of the pinned definition. */
  system_prompt_id: string;
  request_type: "prompt" | "tool_call" | "delegation" | "continuation";
  /** The messages that are new in this call. */
  request_content: string | null;
  context_mode: Exclude<ContextMode, "none"> | null;
  /** Estimated tokens of the context taken over from the parent. */
  context_token_count: number | null;
  response_content: string | null;
  /** The run's summary; only in its last row. */
  response_summary: string | null;
  tool_calls_json: string | null;
  files_modified_json: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  /** Turns of the run so far, including this one. */
  iteration_count: number;
  max_iterations: number;
  max_duration_ms: number;
  bailout_reason: "timeout" | "max_iterations" | "error" | null;
  status: "pending" | "running" | "completed" | "failed" | "cancelled" | "timeout";
  error_message: string | null;
  /** JSON with `run_id` and `call_id`, and optionally `attempt`, `purpose`, `cost`, `finish` and `stop_reason`. */
  metadata_json: string;
}

/** In the order of the S2 document. */
export const MESSAGE_COLUMNS = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "completed_at",
  "duration_ms",
  "agent_role",
  "agent_depth",
  "model_id",
  "system_prompt_id",
  "request_type",
  "request_content",
  "context_mode",
  "context_token_count",
  "response_content",
  "response_summary",
  "tool_calls_json",
  "files_modified_json",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "iteration_count",
  "max_iterations",
  "max_duration_ms",
  "bailout_reason",
  "status",
  "error_message",
  "metadata_json",
] as const satisfies (keyof MessageRow)[];
