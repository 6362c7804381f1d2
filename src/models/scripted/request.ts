// The parts of a call that a script can refer to. They are computed on access, starting from the end of the prompt: most
// scripts need only the turn or the last result, and prompts grow long.

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { CallContext } from "../model.ts";
import type { ScriptedRequest } from "./script.ts";

export function readRequest(call: LanguageModelV4CallOptions): ScriptedRequest {
  const { prompt } = call;
  const place = (call.providerOptions?.["cadre"] ?? {}) as Partial<CallContext>;
  return {
    agent: place.agent ?? "",
    runId: place.runId ?? "",
    turn: place.turn ?? 1,
    attempt: place.attempt ?? 1,
    purpose: place.purpose ?? "turn",
    round: place.round ?? 0,
    get task() {
      return userText(prompt.find((message) => message.role === "user")) ?? "";
    },
    get lastTool() {
      return lastResultOf(prompt)?.toolName;
    },
    get lastResult() {
      const result = lastResultOf(prompt);
      return result === undefined ? undefined : resultText(result.output);
    },
    get lastUser() {
      return userText(prompt.findLast((message) => message.role === "user"));
    },
    get isError() {
      const type = lastResultOf(prompt)?.output.type;
      return type === "error-text" || type === "error-json" || type === "execution-denied";
    },
    get characters() {
      return JSON.stringify([prompt, call.tools ?? []]).length;
    },
  };
}

const FIELDS = /\$\{(task|lastResult|lastUser|lastTool|agent|turn|runId)\}/g;

/** Replaces `${lastResult}` and similar placeholders in every string of a value. */
export function fillIn<Value>(value: Value, request: ScriptedRequest): Value;
export function fillIn(value: unknown, request: ScriptedRequest): unknown {
  if (typeof value === "string") {
    if (!value.includes("${")) return value;
    return value.replace(FIELDS, (_, field: keyof ScriptedRequest) => String(request[field] ?? ""));
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillIn(item, request));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, request)]));
}

type Message = LanguageModelV4Prompt[number];
type ToolMessage = Extract<Message, { role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

function lastResultOf(prompt: LanguageModelV4Prompt): ToolResult | undefined {
  for (let at = prompt.length - 1; at >= 0; at--) {
    const message = prompt[at]!;
    if (message.role !== "tool") continue;
    const result = message.content.findLast((part): part is ToolResult => part.type === "tool-result");
    if (result !== undefined) return result;
  }
  return undefined;
}

function resultText(output: ToolResult["output"]): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "execution-denied":
      return output.reason ?? "";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : "")).join("");
    default:
      return JSON.stringify(output.value);
  }
}

function userText(message: Message | undefined): string | undefined {
  if (message?.role !== "user") return undefined;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
