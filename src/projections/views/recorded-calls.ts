// Calls of a run that changed something, with their results.
// A fork of the run uses the recorded result instead of making the same call again.
// Calls that were denied or deferred, or have an unknown outcome, are not used.

import { toolCallId } from "../../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { childResult } from "../folds/child-result.ts";
import { DELEGATE } from "../folds/tool-call.ts";

export interface RecordedCall {
  /** The event that contains the result. */
  runId: string;
  seq: number;
  /** The tool's real name, which may differ from the name the model used, and the input as the model wrote it. */
  name: string;
  input: unknown;
  result: Pick<Payload<"TOOL_RESULT">, "output" | "isError" | "ref" | "size" | "untrusted">;
}

/** The calls whose results came after the event `after`, in the order of their results. */
export function recordedCalls(events: readonly JournalEvent[], after: number): RecordedCall[] {
  const known: Known = { calls: new Map(), proposals: new Map(), children: new Map() };
  return events.flatMap((event) => {
    learn(known, event);
    if (event.seq <= after) return [];
    if (event.type === "TOOL_RESULT") return ofTool(known, event);
    return event.type === "CHILD_RUN_COMPLETED" ? ofChild(known, event) : [];
  });
}

/** Compares calls, ignoring the order of keys in their inputs. */
export const isSameCall = (
  left: Pick<RecordedCall, "name" | "input">,
  right: Pick<RecordedCall, "name" | "input">,
): boolean => left.name === right.name && sortedJson(left.input) === sortedJson(right.input);

export function sortedJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
        : each,
    ) ?? ""
  );
}

interface Known {
  /** The calls with the names and inputs that the model or the agent's module used. */
  calls: Map<string, { tool: string; input: unknown }>;
  proposals: Map<string, Payload<"TOOL_PROPOSED">>;
  children: Map<string, Payload<"CHILD_RUN_STARTED">>;
}

function learn({ calls, proposals, children }: Known, { type, payload }: JournalEvent): void {
  if (type === "AGENT_THOUGHT")
    toolCallsOf(payload.content).forEach(({ toolName: tool, input }, index) => {
      calls.set(toolCallId(payload.callId, index), { tool, input });
    });
  if (type === "CHILD_RUN_STARTED") children.set(payload.child_run_id, payload);
  if (type !== "TOOL_PROPOSED") return;
  proposals.set(payload.toolCallId, payload);
  if (payload.input !== undefined)
    calls.set(payload.toolCallId, { tool: payload.name, input: payload.input });
}

function ofTool({ calls, proposals }: Known, { runId, seq, payload }: EventOf<"TOOL_RESULT">) {
  const { toolCallId: id, outcome = "ok", output, isError, ref, size, untrusted, recorded } = payload;
  const [call, proposal] = [calls.get(id), proposals.get(id)];
  const wasDone = (outcome === "ok" || outcome === "error") && !recorded;
  // A delegation is left out. If it was not awaited, its result only says that the child was started.
  if (!call || !proposal || !wasDone || proposal.effect === "read" || proposal.name === DELEGATE) return [];
  const result = { output, ...omitUndefined({ isError, ref, size, untrusted }) };
  return [{ runId, seq, name: proposal.name, input: call.input, result }];
}

function ofChild({ calls, children }: Known, { runId, seq, payload }: EventOf<"CHILD_RUN_COMPLETED">) {
  const started = children.get(payload.child_run_id);
  const call = calls.get(payload.key);
  if (!call || started?.trigger !== "delegation" || started.awaited === false) return [];
  if (payload.result.status === "failed" && (started.retries ?? 0) > 0) return [];
  const untrusted = payload.untrusted?.join(", ");
  const result = { output: childResult(call.tool, started, payload), ...omitUndefined({ untrusted }) };
  return [{ runId, seq, name: DELEGATE, input: call.input, result }];
}
