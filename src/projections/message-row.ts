// A model call as S2 records it, with exactly that document's columns, and sessions put together from such rows.

import type { ContextMode } from "../journal/definition.ts";

export interface MessageRow {
  id: number;
  /** The run's session; where it has none, its root. */
  session_id: string;
  /** The model call of the parent that delegated. */
  parent_message_id: number | null;
  started_at: string;
  completed_at: string | null;
  duration_ms: number | null;
  agent_role: string;
  agent_depth: number;
  model_id: string;
  /** The pinned definition, by its hash. */
  system_prompt_id: string;
  request_type: "prompt" | "tool_call" | "delegation" | "continuation";
  /** What the model was told that it had not been told before. */
  request_content: string | null;
  context_mode: Exclude<ContextMode, "none"> | null;
  /** An estimate of what the parent's context takes. */
  context_token_count: number | null;
  response_content: string | null;
  /** What the parent is told: in the last row of a run. */
  response_summary: string | null;
  tool_calls_json: string | null;
  files_modified_json: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  /** Turns of the run, this one included. */
  iteration_count: number;
  max_iterations: number;
  max_duration_ms: number;
  bailout_reason: "timeout" | "max_iterations" | "error" | null;
  status: "pending" | "running" | "completed" | "failed" | "cancelled" | "timeout";
  error_message: string | null;
  /** `run_id` and `call_id`; `attempt`, `purpose`, `cost`, `finish` and `stop_reason` where there are any. */
  metadata_json: string;
}

/** In the order of that document. */
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
