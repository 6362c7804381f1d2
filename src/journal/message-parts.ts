// Accessors for the parts of a model's answer. Separate from the schemas, so that the page does not load them.

import type { ThoughtPart, ToolCallPart } from "./message.ts";

export function textOf(content: readonly ThoughtPart[]): string {
  return content.map((part) => (part.type === "text" ? (part as { text: string }).text : "")).join("");
}

export function reasoningOf(content: readonly ThoughtPart[]): string {
  return content.map((part) => (part.type === "reasoning" ? (part as { text: string }).text : "")).join("");
}

export function toolCallsOf(content: readonly ThoughtPart[]): ToolCallPart[] {
  return content.filter((part): part is ToolCallPart => part.type === "tool-call");
}
