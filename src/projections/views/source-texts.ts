// The texts that a run was given to read: its task, messages, tool results and the answers of its children.
// The model's own text is not a source.

import { toolCallId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { stripUntrustedMarks } from "../../journal/untrusted.ts";
import type { Journals } from "./causes.ts";
import { agentOfRun } from "./reasons.ts";
import { describeCall } from "./timeline.ts";

export interface SourceText {
  kind: "tool" | "child" | "message" | "task";
  runId: string;
  seq: number;
  /** Short description of the source. */
  what: string;
  text: string;
  /** Untrusted sources whose text is in this text. */
  untrusted: readonly string[];
  /** The child's run, if this text is a child's answer. */
  childRunId?: string;
}

export function sourceTexts(journals: Journals, runId: string): SourceText[] {
  const events = journals.get(runId) ?? [];
  const calls = describeCalls(events);
  return events.flatMap((event): SourceText[] => {
    const found = sourceIn(journals, calls, event);
    return found ? [{ runId, seq: event.seq, untrusted: [], ...found }] : [];
  });
}

/** Short descriptions of all calls, by call id. */
export function describeCalls(events: readonly JournalEvent[]): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  for (const { type, payload } of events) {
    if (type === "TOOL_PROPOSED" && payload.input !== undefined)
      calls.set(payload.toolCallId, describeCall(payload.name, payload.input));
    if (type !== "AGENT_THOUGHT") continue;
    for (const [index, { toolName, input }] of toolCallsOf(payload.content).entries())
      calls.set(toolCallId(payload.callId, index), describeCall(toolName, input));
  }
  return calls;
}

type Found = Pick<SourceText, "kind" | "what" | "text"> & Partial<SourceText>;

function sourceIn(
  journals: Journals,
  calls: ReadonlyMap<string, string>,
  event: JournalEvent,
): Found | undefined {
  switch (event.type) {
    case "RUN_STARTED": {
      const { task, input, untrusted = [], parentRunId } = event.payload;
      const whose =
        parentRunId === undefined ? "the task" : `the task that ${agentOfRun(journals, parentRunId)} gave`;
      return { kind: "task", what: whose, text: textsIn([task, input]), untrusted };
    }
    case "CONTEXT_ADDED": {
      const { text, from, source, untrusted = [] } = event.payload;
      return { kind: "message", what: `a message from ${from ?? source}`, text, untrusted };
    }
    case "TOOL_RESULT": {
      const { toolCallId: id, output, untrusted } = event.payload;
      const what = calls.get(id) ?? id;
      return {
        kind: "tool",
        what,
        text: stripUntrustedMarks(textsIn(output)),
        untrusted: untrusted === undefined ? [] : [untrusted],
      };
    }
    case "CHILD_RUN_COMPLETED": {
      const { child_run_id: childRunId, result, untrusted = [] } = event.payload;
      const { summary, details, output, warnings, suggestions } = result;
      const text = textsIn([summary, details, output, warnings, suggestions]);
      return {
        kind: "child",
        what: `${agentOfRun(journals, childRunId)}'s answer`,
        text,
        untrusted,
        childRunId,
      };
    }
    default:
      return undefined;
  }
}

const DEEPEST = 20;

/** Collects all strings and numbers in a value, without keys and punctuation. */
function textsIn(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null || depth > DEEPEST) return "";
  return Object.values(value)
    .map((inner) => textsIn(inner, depth + 1))
    .filter((text) => text !== "")
    .join("\n");
}
