// Builds the events that the loop and the patterns write most often, and the messages about calls that cannot be made.

import { z } from "zod";
import type { EventBody, Payload } from "../journal/events.ts";
import { MAX_NESTING } from "../journal/message.ts";
import type { ToolCall } from "../projections/folds/tool-call.ts";

type Failure = Exclude<NonNullable<Payload<"TOOL_RESULT">["outcome"]>, "ok">;

/** The result of a call for which no tool was run. If the call failed, `outcome` says how. */
export function toolResult(toolCallId: string, output: unknown, outcome?: Failure): EventBody {
  const failure = outcome === undefined ? {} : { isError: true as const, outcome };
  return { type: "TOOL_RESULT", payload: { toolCallId, output, ...failure } };
}

/** A message from Cadre to the agent. The id makes sure that the agent reads the message only once. */
export const systemNote = (id: string, text: string): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source: "system", text },
});

/** Tells the model why a call's input cannot be used. */
export const misfit = (tool: string, error: z.ZodError): string =>
  `The input of ${tool} does not fit: ${z.prettifyError(error)}`;

/** Tells the model why an input does not match a tool's schema. Undefined if it matches. */
export function inputMisfit(tool: string, schema: z.ZodType, input: unknown): string | undefined {
  const { error } = schema.safeParse(input);
  if (!error) return undefined;
  const isUnknownKey = error.issues.some(
    ({ code, path }) => code === "unrecognized_keys" && path.length === 0,
  );
  const keys = isUnknownKey && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return misfit(tool, error) + (keys.length === 0 ? "" : `\nIt takes: ${keys.join(", ")}`);
}

/** Tells the model that a call's input was not JSON, or was nested too deep. Returns undefined if the input is usable. */
export function invalidJson({ name, invalid }: Pick<ToolCall, "name" | "invalid">): string | undefined {
  if (invalid === undefined) return undefined;
  const what = isJson(invalid) ? `nested too deep (at most ${MAX_NESTING} levels)` : "not valid JSON";
  return `The input of ${name} was ${what}; nothing was done. It began: ${invalid.slice(0, 200)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
