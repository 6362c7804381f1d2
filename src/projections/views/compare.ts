// Compares two trees run by run from the root down (FK7). The runs are aligned by what the agents did. The result shows cost, duration and the first difference.
// The steps of a fork include the history that the fork continues. The cost of a fork does not include that history.

import { toolCallId } from "../../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import { textOf, toolCallsOf } from "../../journal/message.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { applyRunRow, initialRow } from "../folds/run-row.ts";
import { FINAL_REPORT } from "../folds/tool-call.ts";
import { align } from "./align.ts";
import type { Comparison } from "./compare-schema.ts";
import { sortedJson } from "./recorded-calls.ts";
import { describeCall } from "./timeline.ts";
import { withoutTimes } from "./without-times.ts";

/** The journals of a run and all runs below it. */
export interface ComparedTree {
  runId: string;
  /** Events of the run that this run continues. They precede this run's own journal. */
  before: readonly JournalEvent[];
  runs: ReadonlyMap<string, readonly JournalEvent[]>;
}

type ComparedNode = Comparison["nodes"][number];
type NodeFacts = NonNullable<ComparedNode["a"]>;
type ComparedStep = NonNullable<ComparedNode["rows"][number]["a"]>;

export function compareTrees(a: ComparedTree, b: ComparedTree): Comparison {
  const nodes: ComparedNode[] = [];
  const first = addNode({ a: a.runId, b: b.runId }, 0, { a, b, nodes });
  return { nodes, ...(first ? { first } : {}), a: treeFacts(a), b: treeFacts(b) };
}

interface Trees {
  a: ComparedTree;
  b: ComparedTree;
  nodes: ComparedNode[];
}

interface Sides<T> {
  a: T | undefined;
  b: T | undefined;
}

/** Adds a node and its children. Returns the first difference in the node or below it. */
function addNode(ids: Sides<string>, depth: number, trees: Trees): Comparison["first"] {
  const [a, b] = [sideOf(ids.a, trees.a), sideOf(ids.b, trees.b)];
  const pairs = align(a?.steps ?? [], b?.steps ?? [], ({ key }) => key);
  const rows = pairs.map((pair) => ({ ...pair, same: isSame(pair) }));
  const agent = a?.facts.agent ?? b?.facts.agent ?? "";
  const node = trees.nodes.length;
  trees.nodes.push({
    agent,
    depth,
    a: a?.facts,
    b: b?.facts,
    rows: rows.map(visibleRow),
  });
  let first: Comparison["first"];
  for (const [index, row] of rows.entries()) {
    const children = { a: row.a?.childId, b: row.b?.childId };
    // A child that both forks inherit is the same run on both sides.
    const isNew = children.a !== children.b;
    const below = isNew ? addNode(children, depth + 1, trees) : undefined;
    const isAlone = children.a === undefined || children.b === undefined;
    if (!first && !row.same) first = (isAlone ? undefined : below) ?? { node, row: index };
    else if (!first && !isAlone) first = below;
  }
  return first;
}

function sideOf(runId: string | undefined, { runId: top, before, runs }: ComparedTree) {
  const events = runId === undefined ? undefined : runs.get(runId);
  const facts = events && factsOf(events);
  if (!facts) return undefined;
  return { facts, steps: compareSteps(runId === top ? [...before, ...events] : events) };
}

/** True if both sides have the same step with the same outcome. Also true if one side uses the recorded outcome of the other side. */
function isSame({ a, b }: Sides<CompareStep>): boolean {
  if (!a || !b || a.key !== b.key) return false;
  return (
    withoutTimes(a.detail) === withoutTimes(b.detail) ||
    (a.resultAt !== undefined && a.resultAt === b.resultAt)
  );
}

/** A row as people see it. If one side uses a recorded result, the row shows the detail of the original call. */
function visibleRow({ a, b, same }: Sides<CompareStep> & { same: boolean }): ComparedNode["rows"][number] {
  const detail = same ? (a?.recorded ? b?.detail : a?.detail) : undefined;
  return {
    a: a && { ...visibleStep(a), ...omitUndefined({ detail }) },
    b: b && { ...visibleStep(b), ...omitUndefined({ detail }) },
    same,
  };
}

function visibleStep(step: CompareStep): ComparedStep {
  const { key: _, resultAt: __, ...rest } = step;
  return rest;
}

function factsOf(events: readonly JournalEvent[]): NodeFacts | undefined {
  const [first, ...rest] = events;
  if (first?.type !== "RUN_STARTED") return undefined;
  const row = rest.reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
  const { id: runId, agent, status, turns, usage, createdAt, updatedAt, endedAt } = row;
  const { cost, unpriced, input, output } = usage;
  const ms = (endedAt ?? updatedAt) - createdAt;
  return { runId, agent, status, turns, cost, unpriced, tokens: input + output, ms };
}

function treeFacts({ runId, runs }: ComparedTree): Comparison["a"] {
  const all = [...runs.values()].flatMap((events) => factsOf(events) ?? []);
  const { turns: _, ...top } = all.find((facts) => facts.runId === runId)!;
  const sum = (of: "cost" | "unpriced" | "tokens"): number =>
    all.reduce((total, facts) => total + facts[of], 0);
  return { ...top, cost: sum("cost"), unpriced: sum("unpriced"), tokens: sum("tokens"), runs: all.length };
}

// The steps by which two runs are compared: what an agent read, said, did and started. Times, attempts and leases are not steps.

type CompareStep = ComparedStep & {
  /** Steps of the two runs are put in the same row if they have the same key. */
  key: string;
  /** The event that contains the result of the step. */
  resultAt?: string;
};

const MAX_DETAIL = 2_000;

const MAX_TITLE = 160;

function compareSteps(events: readonly JournalEvent[]): CompareStep[] {
  const steps: CompareStep[] = [];
  const calls = new Map<string, CompareStep>();
  const children = new Map<string, CompareStep>();
  for (const event of events) {
    switch (event.type) {
      case "RUN_STARTED":
        // An edited task replaces the original task if the model has not answered yet.
        if (event.payload.fork?.edited?.includes("message") && steps.every(({ kind }) => kind === "heard"))
          steps.length = 0;
        if (hasOwnTask(event.payload)) steps.push(stepOf(event, "heard", event.payload.task));
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

/** The task of a run. A run that continues in the middle of another run's work has no task. */
const hasOwnTask = ({ continues, trigger, fork }: Payload<"RUN_STARTED">): boolean =>
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
    key: `${about}:${withoutTimes(text)}`,
  };
}

function thoughtSteps(event: EventOf<"AGENT_THOUGHT">, calls: Map<string, CompareStep>): CompareStep[] {
  const { callId, content } = event.payload;
  const text = textOf(content).trim();
  // The final report is left out, because the end of the run shows it.
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
