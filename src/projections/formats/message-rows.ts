// One row for each model call, with the columns of the S2 document. The stores' view `messages` computes the rows.

import { z } from "zod";
import { ContextMode } from "../../journal/definition.ts";

/** A model call as a row. It has exactly the columns of the S2 document, in the same order. */
export const MessageRow = z.object({
  id: z.int(),
  /** Id of the run's session. If the run has no session: id of its root run. */
  session_id: z.string(),
  /** The parent's model call that requested the delegation. */
  parent_message_id: z.number().nullable(),
  started_at: z.string(),
  completed_at: z.string().nullable(),
  duration_ms: z.number().nullable(),
  agent_role: z.string(),
  agent_depth: z.int(),
  model_id: z.string(),
  /** Hash of the agent's definition, as the run uses it. */
  system_prompt_id: z.string(),
  request_type: z.enum(["prompt", "tool_call", "delegation", "continuation"]),
  /** The messages in this call's request that no earlier call contained. */
  request_content: z.string().nullable(),
  context_mode: ContextMode.exclude(["none"]).nullable(),
  /** Estimated number of tokens in the context that the parent passed on. */
  context_token_count: z.number().nullable(),
  response_content: z.string().nullable(),
  /** The run's summary. Only the run's last row has it. */
  response_summary: z.string().nullable(),
  tool_calls_json: z.string().nullable(),
  files_modified_json: z.string().nullable(),
  prompt_tokens: z.number().nullable(),
  completion_tokens: z.number().nullable(),
  total_tokens: z.number().nullable(),
  /** Number of turns of the run so far, including this turn. */
  iteration_count: z.number(),
  max_iterations: z.number(),
  max_duration_ms: z.number(),
  bailout_reason: z.enum(["timeout", "max_iterations", "error"]).nullable(),
  status: z.enum(["pending", "running", "completed", "failed", "cancelled", "timeout"]),
  error_message: z.string().nullable(),
  /** JSON with `run_id` and `call_id`, and optionally `attempt`, `purpose`, `cost`, `finish` and `stop_reason`. */
  metadata_json: z.string(),
});
export type MessageRow = z.infer<typeof MessageRow>;

export const MESSAGE_COLUMNS = Object.keys(MessageRow.shape) as (keyof MessageRow)[];
