// Parses the updates that a program sends.
// Programs can be ahead of the protocol. An update of an unknown kind only shows that the program is alive.

import { z } from "zod";
import { Todo } from "../journal/todo.ts";
import type { AcpCall } from "./translate-call.ts";

const Chunk = z.object({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.object({ type: z.literal("text"), text: z.string() }),
});

const text = z.string().nullish();
const Content = z.union([
  z.object({ type: z.literal("content"), content: z.looseObject({ type: z.string() }) }),
  z.object({ type: z.literal("diff"), path: z.string(), oldText: text, newText: z.string() }),
  z.looseObject({ type: z.string() }),
]);

/** An extension of the protocol with which Codex reports a command's output. */
const Printed = z.object({ terminal_output_delta: z.object({ data: z.string() }) });

const Call = z.object({
  sessionUpdate: z.enum(["tool_call", "tool_call_update"]),
  toolCallId: z.string(),
  kind: text,
  status: text,
  title: text,
  name: text,
  content: z.array(Content).nullish(),
  locations: z.array(z.object({ path: z.string() })).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: Printed.optional().catch(undefined),
});

const Plan = z.object({ sessionUpdate: z.literal("plan"), entries: z.array(Todo).max(100) });

const Usage = z.object({
  sessionUpdate: z.literal("usage_update"),
  cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }),
});

const Notification = z.object({ update: z.union([Chunk, Call, Plan, Usage]) });

export type Update = z.infer<typeof Notification>["update"];

/** Parses an update. Returns undefined if Cadre does not need the update. */
export const readUpdate = (params: unknown): Update | undefined =>
  Notification.safeParse(params).data?.update;

/** Converts an update about a call to the protocol's own type. */
export const toAcpCall = ({ _meta, ...told }: Extract<Update, { toolCallId: string }>): AcpCall =>
  ({ ...told, printed: _meta?.terminal_output_delta.data }) as AcpCall;
