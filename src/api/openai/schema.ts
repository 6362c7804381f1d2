// The part of OpenAI's chat completions API that agents can serve.
// Parameters that the agent's file decides (temperature, seed …) are ignored.
// Parameters that would change the kind of answer (tools, several choices, a response format) are rejected.

import { z } from "zod";

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  /** An image as a `data:` URL. Cadre fetches no other URLs. */
  image_url: z.looseObject({ url: z.string() }).optional(),
  /** An image or PDF as a `data:` URL. */
  file: z.looseObject({ filename: z.string().optional(), file_data: z.string().optional() }).optional(),
});
export type ChatPart = z.output<typeof Part>;

export const ChatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(Part).max(1_000)]).nullish(),
});
export type ChatMessage = z.output<typeof ChatMessage>;

export const ChatBody = z.looseObject({
  /** Name of a main agent. */
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  /** The key `session_id` names the conversation that the last message belongs to. */
  metadata: z.record(z.string(), z.string()).nullish(),
  n: z.literal(1, "must be 1: a run has one answer").nullish(),
  tools: z.array(z.unknown()).max(0, "must be empty: an agent has its own tools").nullish(),
  functions: z.array(z.unknown()).max(0, "must be empty: an agent has its own tools").nullish(),
  response_format: z
    .looseObject({
      type: z.literal("text", "must be `text`: the agent's file says what form its answer has"),
    })
    .nullish(),
});
export type ChatBody = z.output<typeof ChatBody>;

const Usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
});
export type Usage = z.infer<typeof Usage>;

/** Fields that Cadre adds to OpenAI's format. */
const OfCadre = z.object({
  run_id: z.string(),
  session_id: z.string().optional(),
  status: z.string(),
  /** Open items that wait for a person. */
  needs: z.array(z.unknown()).optional(),
});

export const FinishReason = z.enum(["stop", "length"]);
export type FinishReason = z.infer<typeof FinishReason>;

export const ChatAnswer = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({ role: z.literal("assistant"), content: z.string(), refusal: z.null() }),
      finish_reason: FinishReason,
      logprobs: z.null(),
    }),
  ),
  usage: Usage,
  cadre: OfCadre,
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

export const Model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});
export type Model = z.infer<typeof Model>;
export const Models = z.object({ object: z.literal("list"), data: z.array(Model) });

export const Refused = z.object({
  error: z.object({ message: z.string(), type: z.string(), param: z.null(), code: z.string() }),
});
export type Refused = z.infer<typeof Refused>;
