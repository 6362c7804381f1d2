// Lists the model calls of a session, a run or a role, one row each. On request, the store brings the rows up to date with the
// journals.

import { z } from "zod";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject, nextCursor, pageFields } from "./schemas.ts";

export const MessagesQuery = z.strictObject({
  session: z.string().min(1).exactOptional(),
  run: z.string().min(1).exactOptional(),
  role: z.string().min(1).exactOptional(),
  /** Only calls of other agents that the row with this id caused. */
  parent: Count.exactOptional(),
  ...pageFields,
});

const text = z.string().nullable();

const count = z.number().nullable();

export const MessageView = namedObject("MessageView", {
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

export const MessagePage = namedObject("MessagePage", { messages: z.array(MessageView), nextCursor });
export type MessagePage = z.infer<typeof MessagePage>;

export function messageRoutes({ store }: ApiParts) {
  return [
    route.get(
      "/api/messages",
      { summary: "Model calls, one row each", query: MessagesQuery, answer: MessagePage },
      async ({ query: { run, ...filter } }) => {
        const of = run === undefined ? {} : { run: (await findRun(store, run)).id };
        return store.usage.messages({ ...filter, ...of });
      },
    ),
  ];
}
