// Answers that are lists of what schema.ts describes, or that other places describe as types: here in the form that the
// API's own description needs. The compiler holds each against what its route answers with.

import { z } from "zod";
import { type JournalEvent, payloads } from "../journal/events.ts";
import { AgentView, ApprovalView, GrantView, ProblemView, RunSummary, RunUsageView } from "./schema.ts";

export const Nothing = z.object({});
export const Started = z.object({ runId: z.string() });
export const Decided = z.object({ alreadyDecided: z.boolean() });
export const Cancelled = z.object({ cancelled: z.array(z.string()) });

const nextCursor = z.string().optional();

export const RunPage = z.object({ runs: z.array(RunSummary), nextCursor });
export const Approvals = z.object({ approvals: z.array(ApprovalView) });
export const Grants = z.object({ grants: z.array(GrantView) });

export const Agents = z.object({
  agents: z.array(AgentView),
  /** Of files that became no agent. */
  problems: z.array(ProblemView),
});

/** One form for each type of event. */
export const EventView = z.union(eventViews()) as unknown as z.ZodType<JournalEvent, JournalEvent>;

export const EventPage = z.object({ events: z.array(EventView), nextAfter: z.int().optional() });

const part = z.object({ type: z.string() });

export const Transcript = z.object({
  system: z.string(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "tool"]), content: z.array(part) })),
});

const text = z.string().nullable();
const count = z.number().nullable();

export const MessageView = z.object({
  id: z.int(),
  session_id: z.string(),
  parent_message_id: count,
  started_at: z.string(),
  completed_at: text,
  duration_ms: count,
  agent_role: z.string(),
  agent_depth: z.int(),
  model_id: z.string(),
  system_prompt_id: z.string(),
  request_type: z.enum(["prompt", "tool_call", "delegation", "continuation"]),
  request_content: text,
  context_mode: text,
  context_token_count: count,
  response_content: text,
  response_summary: text,
  tool_calls_json: text,
  files_modified_json: text,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  iteration_count: z.number(),
  max_iterations: z.number(),
  max_duration_ms: z.number(),
  bailout_reason: text,
  status: z.string(),
  error_message: text,
  metadata_json: z.string(),
});

export const MessagePage = z.object({ messages: z.array(MessageView), nextCursor });

export const Usage = z.object({
  byAgent: z.array(RunUsageView.extend({ agent: z.string(), runs: z.int() })),
  byModel: z.array(RunUsageView.omit({ toolCalls: true }).extend({ model: z.string() })),
  byEdge: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      started: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      successRate: z.number().nullable(),
    }),
  ),
});

function eventViews() {
  return Object.entries(payloads).map(([type, payload]) =>
    z.object({
      runId: z.string(),
      seq: z.int(),
      position: z.int(),
      ts: z.number(),
      type: z.literal(type),
      key: z.string(),
      payload,
    }),
  );
}
