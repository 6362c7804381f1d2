// The steps by which two runs are compared: what an agent heard, said, did and started. Times, attempts and leases are not
// steps.

import { toolCallId } from "../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../journal/events.ts";
import { textOf, toolCallsOf } from "../journal/message-parts.ts";
import { FINAL_REPORT } from "./folds/tool-call.ts";
import { sortedJson } from "./views/recorded-calls.ts";
import { describeCall } from "./views/timeline.ts";

export interface CompareStep {
  runId: string;
  seq: number;
  kind: "heard" | "said" | "call" | "child" | "end";
  /** One line. */
  title: string;
  /** The outcome, or the whole text. */
  detail: string;
  /** Steps with the same key are aligned. */
  key: string;
  /** The child run that it started. */
  childId?: string;
  /** The recorded result of another run that was used. */
  recorded?: { runId: string; seq: number };
  /** The event with its result. */
  resultAt?: string;
}

const MAX_DETAIL = 2_000;
const MAX_TITLE = 160;

export function compareSteps(events: readonly JournalEvent[]): CompareStep[] {
  const steps: CompareStep[] = [];
  const calls = new Map<string, CompareStep>();
  const children = new Map<string, CompareStep>();
  for (const event of events) {
    switch (event.type) {
      case "RUN_STARTED":
        // An edited task replaces the original one if the model has not answered that yet.
        if (event.payload.fork?.edited?.includes("message") && steps.every(({ kind }) => kind === "heard"))
          steps.length = 0;
        if (saysSomething(event.payload)) steps.push(stepOf(event, "heard", event.payload.task));
        break;
      case "CONTEXT_ADDED":
        if (event.payload.source !== "system") steps.push(stepOf(event, "heard", event.payload.text));
        break;
      case "AGENT_THOUGHT":
        steps.push(...thoughtSteps(event, calls));
        break;
      case "TOOL_PROPOSED":
        if (event.payload.input !== undefined && !calls.has(event.payload.toolCallId))
          steps.push(
            callStep(event, event.payload.toolCallId, event.payload.name, event.payload.input, calls),
          );
        break;
      case "TOOL_RESULT":
        addResult(calls.get(event.payload.toolCallId), event);
        break;
      case "CHILD_RUN_STARTED":
        startChild(event, { steps, calls, children });
        break;
      case "CHILD_RUN_COMPLETED":
        endChild(children.get(event.payload.child_run_id), event);
        break;
      case "RUN_COMPLETED":
      case "RUN_FAILED":
      case "RUN_CANCELLED":
        steps.push(stepOf(event, "end", event.payload.summary, event.type));
        break;
      default:
    }
  }
  return steps;
}

/** A run that continues in the middle of another run's work has no task of its own. */
const saysSomething = ({ continues, trigger, fork }: Payload<"RUN_STARTED">): boolean =>
  !continues || (trigger !== "retry" && (trigger !== "fork" || (fork?.edited?.includes("message") ?? false)));

function stepOf(
  { runId, seq }: JournalEvent,
  kind: CompareStep["kind"],
  text: string,
  about: string = kind,
): CompareStep {
  return {
    runId,
    seq,
    kind,
    title: lineOf(text),
    detail: text.slice(0, MAX_DETAIL),
    key: `${about}:${text}`,
  };
}

function thoughtSteps(event: EventOf<"AGENT_THOUGHT">, calls: Map<string, CompareStep>): CompareStep[] {
  const { callId, content } = event.payload;
  const text = textOf(content).trim();
  // The final report is shown by the end of the run.
  const own = toolCallsOf(content).flatMap(({ toolName, input }, index) =>
    toolName === FINAL_REPORT ? [] : [callStep(event, toolCallId(callId, index), toolName, input, calls)],
  );
  return [...(text === "" ? [] : [stepOf(event, "said", text)]), ...own];
}

function callStep(
  { runId, seq }: JournalEvent,
  id: string,
  tool: string,
  input: unknown,
  calls: Map<string, CompareStep>,
): CompareStep {
  const title = lineOf(describeCall(tool, input));
  const key = `call:${tool}:${sortedJson(input)}`;
  const step: CompareStep = { runId, seq, kind: "call", title, detail: "", key };
  calls.set(id, step);
  return step;
}

function addResult(step: CompareStep | undefined, { runId, seq, payload }: EventOf<"TOOL_RESULT">): void {
  if (!step || step.childId !== undefined) return;
  const { output, outcome, isError, recorded } = payload;
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const how = outcome ?? (isError ? "error" : "ok");
  step.detail = `${how === "ok" ? "" : `${how}: `}${text.slice(0, MAX_DETAIL)}`;
  step.resultAt = recorded ? `${recorded.runId}#${recorded.seq}` : `${runId}#${seq}`;
  if (recorded) step.recorded = recorded;
}

interface Known {
  steps: CompareStep[];
  calls: ReadonlyMap<string, CompareStep>;
  children: Map<string, CompareStep>;
}

function startChild(event: EventOf<"CHILD_RUN_STARTED">, { steps, calls, children }: Known): void {
  const { child_run_id: childId, agent_type: agent, key, task } = event.payload;
  const asked = calls.get(key);
  const step = asked ?? {
    ...stepOf(event, "child", `${agent}: ${task}`, `child:${key.replace(/^m\d+\./, "")}`),
    detail: "",
  };
  if (!asked) steps.push(step);
  step.childId = childId;
  children.set(childId, step);
}

function endChild(
  step: CompareStep | undefined,
  { runId, seq, payload }: EventOf<"CHILD_RUN_COMPLETED">,
): void {
  if (!step) return;
  step.detail = `${payload.success ? "" : `${payload.result.status}: `}${payload.summary.slice(0, MAX_DETAIL)}`;
  step.resultAt = `${runId}#${seq}`;
}

function lineOf(text: string): string {
  const line = text
    .slice(0, MAX_TITLE * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
