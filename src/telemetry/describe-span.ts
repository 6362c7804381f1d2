// Computes the title and the attributes of a span.
// Only `content` contains text from people, models and tools. The other attributes are names, counts and causes.

import type { EventOf, JournalEvent } from "../journal/events.ts";
import { textOf } from "../journal/message.ts";
import type { TraceSpan } from "../projections/formats/trace-spans.ts";
import { CADRE, ERROR_TYPE, GEN_AI } from "./attribute-names.ts";

export type Attributes = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface SpanDescription {
  title: string;
  /** True if the span is a request to another service. */
  isClient: boolean;
  attributes: Attributes;
  /** Attributes that contain text. They are sent only if the configuration allows it. */
  content: Attributes;
  failure: { type: string; message?: string } | undefined;
}

export function describeSpan(span: TraceSpan): SpanDescription {
  const { attributes, failure, ...rest } = describeKind(span);
  const lost = span.lost ? { type: "interrupted" } : undefined;
  return {
    isClient: false,
    content: {},
    ...rest,
    failure: failure ?? lost,
    attributes: {
      ...attributes,
      [CADRE.run]: span.runId,
      [CADRE.lost]: span.lost,
      [ERROR_TYPE]: (failure ?? lost)?.type,
    },
  };
}

type Part = Pick<SpanDescription, "title" | "attributes"> & Partial<SpanDescription>;

function describeKind(span: TraceSpan): Part {
  switch (span.kind) {
    case "run":
      return describeRun(span);
    case "step":
      return { title: `step ${span.number}`, attributes: { [CADRE.step]: span.number } };
    case "model":
      return describeModelCall(span.began, span.ended);
    case "tool":
      return describeToolCall(span);
    case "wait": {
      const { kind } = span.began.payload.waitingOn;
      return { title: `wait ${kind}`, attributes: { [CADRE.waitsFor]: kind } };
    }
  }
}

function describeRun({ began, ended }: Extract<TraceSpan, { kind: "run" }>): Part {
  const { agent, trigger, sessionId, continues, task } = began.payload;
  const { stopReason, summary, result } = ended.payload;
  return {
    title: `invoke_agent ${agent}`,
    attributes: {
      [GEN_AI.operation]: "invoke_agent",
      [GEN_AI.agent]: agent,
      [GEN_AI.conversation]: sessionId,
      [CADRE.trigger]: trigger,
      [CADRE.continues]: continues?.runId,
      [CADRE.status]: result.status,
      [CADRE.stopReason]: stopReason,
    },
    content: {
      [GEN_AI.inputMessages]: message("user", task),
      [GEN_AI.outputMessages]: message("assistant", summary),
    },
    failure: ended.type === "RUN_FAILED" ? { type: stopReason, message: summary } : undefined,
  };
}

function describeModelCall({ payload }: EventOf<"MODEL_CALL_STARTED">, ended: JournalEvent): Part {
  const { model, purpose, attempt } = payload;
  const slash = model.indexOf("/");
  const name = model.slice(slash + 1);
  const thought = ended.type === "AGENT_THOUGHT" ? ended.payload : undefined;
  const failed = ended.type === "MODEL_CALL_FAILED" ? ended.payload : undefined;
  const usage = thought?.usage ?? failed?.usage;
  return {
    title: `chat ${name}`,
    isClient: true,
    attributes: {
      [GEN_AI.operation]: "chat",
      [GEN_AI.provider]: slash < 0 ? undefined : providerName(model.slice(0, slash)),
      [GEN_AI.requestModel]: name,
      [GEN_AI.finishReasons]: thought && [thought.finish],
      [GEN_AI.inputTokens]: usage?.input,
      [GEN_AI.outputTokens]: usage?.output,
      [GEN_AI.cacheReadTokens]: usage?.cacheRead,
      [GEN_AI.cacheWriteTokens]: usage?.cacheWrite,
      [CADRE.cost]: thought?.cost ?? failed?.cost ?? undefined,
      [CADRE.purpose]: purpose,
      [CADRE.attempt]: attempt,
    },
    content: thought ? { [GEN_AI.outputMessages]: message("assistant", textOf(thought.content)) } : {},
    failure: failed && { type: failed.cause, message: failed.message },
  };
}

/** Returns OpenTelemetry's name for a model provider. */
const providerName = (name: string): string => (name === "google" ? "gcp.gemini" : name);

function describeToolCall({ began, ended, call }: Extract<TraceSpan, { kind: "tool" }>): Part {
  const { toolCallId, attempt } = began.payload;
  const result = ended.type === "TOOL_RESULT" ? ended.payload : undefined;
  const outcome = result && (result.outcome ?? (result.isError ? "error" : "ok"));
  // Calls that merge a child's worktree have no `call`, because no model requested them. Their id begins with the name of the tool.
  const name = call?.name ?? toolCallId.split("/", 1)[0]!;
  return {
    title: `execute_tool ${name}`,
    attributes: {
      [GEN_AI.operation]: "execute_tool",
      [GEN_AI.toolName]: name,
      [GEN_AI.toolCallId]: toolCallId,
      [GEN_AI.toolType]: "function",
      [CADRE.outcome]: outcome,
      [CADRE.attempt]: attempt,
    },
    content: {
      [GEN_AI.toolArguments]: call && JSON.stringify(call.input),
      [GEN_AI.toolResult]: result && JSON.stringify(result.output),
    },
    failure: outcome === undefined || outcome === "ok" ? undefined : { type: outcome },
  };
}

const message = (role: string, content: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
