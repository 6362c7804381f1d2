// Turns a tool's answer into a journal entry: the part that fits the context, and the rest by reference.

import type { Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { boundOutput, CONTEXT_BYTES } from "../../tools/bound-output.ts";
import type { ToolAnswer } from "../../tools/tool.ts";
import type { LoopParts } from "../parts.ts";

/** Characters that are stored of an output, beyond what the model sees. */
const KEPT_CHARACTERS = 1_000_000;

export async function toToolResult(
  answer: ToolAnswer,
  { store }: Pick<LoopParts, "store">,
): Promise<Omit<Payload<"TOOL_RESULT">, "toolCallId" | "attempt" | "ms">> {
  const { isError, files, seen, stale, size, untrusted, sandbox } = answer;
  const flags = {
    ...(isError || stale ? { isError: true as const } : {}),
    ...(stale ? { outcome: "stale" as const } : {}),
    ...(files && files.length > 0 ? { files } : {}),
    ...omitUndefined({ seen, untrusted, sandbox }),
  };
  const text = typeof answer.output === "string" ? answer.output : undefined;
  const json = text ?? JSON.stringify(answer.output) ?? "null";
  const whole = answer.full ?? (json.length > CONTEXT_BYTES ? json : undefined);
  if (whole === undefined) return { output: text ?? JSON.parse(json), ...flags, ...omitUndefined({ size }) };
  const output = json.length > CONTEXT_BYTES ? boundOutput(json).text : json;
  const ref = await store.blobs.put(boundOutput(whole, KEPT_CHARACTERS).text).catch(() => undefined);
  return { output, ...omitUndefined({ ref }), size: size ?? whole.length, ...flags };
}
