// One run of a tree as the page has it: its journal and what follows from it.
//  An event costs the same whether it is the tenth or the fifty-thousandth (U14): lists grow in place, and a row is
//  another object only once for all that the views are told of together.

import type { Delta } from "../../../src/journal/deltas.ts";
import type { EventOf, JournalEvent } from "../../../src/journal/events.ts";
import { isAnswered } from "../../../src/projections/answered.ts";
import { type ItemChange, itemChanges } from "../../../src/projections/folds/approvals.ts";
import { applyRunRow, initialRow, type RunRow } from "../../../src/projections/folds/run-row.ts";
import { applyTimeline, type Timeline, timelineProjection } from "../../../src/projections/views/timeline.ts";

export interface RunJournal {
  /** `answered`: of what it, or who is below it, asked a person, nothing is open any more, and nobody has taken it up yet. */
  row: RunRow & { answered?: boolean };
  /** What is open in it for a person. */
  open: Set<string>;
  /** All of them; `events[n]` has seq n + 1, but where `gaps` says otherwise: see `eventAt`. */
  events: JournalEvent[];
  /** Something between them could not be read. */
  gaps: boolean;
  timeline: Timeline;
  /** In the order in which they were started. */
  children: string[];
  /** What is being said and printed now, by call: never part of the journal. */
  streaming: Map<string, Streaming>;
}

export interface Streaming {
  kind: "text" | "reasoning" | "tool_output";
  attempt: number;
  text: string;
}

/** Of a program's output, the end is enough while it runs; the result has the rest. */
const MAX_STREAMING = 20_000;

/** P9: what cannot be read is left out, and the rest is shown; never the other way round. */
export function applyEvent(runs: Map<string, RunJournal>, fresh: Set<string>, event: JournalEvent): void {
  try {
    fold(runs, fresh, event);
  } catch {
    const run = runs.get(event.runId);
    if (run) run.gaps = true;
  }
}

/** `fresh`: the runs whose rows are other objects than those that the views have seen. */
function fold(runs: Map<string, RunJournal>, fresh: Set<string>, event: JournalEvent): void {
  if (event.type === "RUN_STARTED") runs.set(event.runId, startedRun(event));
  const run = runs.get(event.runId);
  if (!run) return;
  if (event.type !== "RUN_STARTED") {
    if (!fresh.has(event.runId)) run.row = { ...run.row, usage: { ...run.row.usage } };
    applyRunRow(run.row, event);
  }
  fresh.add(event.runId);
  run.events.push(event);
  if (event.seq !== run.events.length) run.gaps = true;
  run.timeline = applyTimeline(run.timeline, event);
  for (const change of itemChanges(event)) applyItemChange(run.open, change);
  markAnswered(runs, fresh, run);
  if (event.type === "CHILD_RUN_STARTED") run.children.push(event.payload.child_run_id);
  if (event.type === "AGENT_THOUGHT" || event.type === "MODEL_CALL_FAILED") {
    run.streaming.delete(event.payload.callId);
    run.streaming.delete(`${event.payload.callId}/reasoning`);
  }
  if (event.type === "TOOL_RESULT") run.streaming.delete(event.payload.toolCallId);
}

const startedRun = ({ runId, payload, ts }: EventOf<"RUN_STARTED">): RunJournal => ({
  row: initialRow(runId, payload, ts),
  events: [],
  gaps: false,
  timeline: timelineProjection.initial(),
  open: new Set(),
  children: [],
  streaming: new Map(),
});

function applyItemChange(open: Set<string>, change: ItemChange): void {
  if (change.type === "open") open.add(change.itemId);
  else if (change.type === "close") open.delete(change.itemId);
  else open.clear();
}

/** Of a run, and of those above it that may wait for it alone. */
function markAnswered(runs: Map<string, RunJournal>, fresh: Set<string>, run: RunJournal): void {
  const answered = isAnswered(run.row, {
    hasOpenItem: (id) => (runs.get(id)?.open.size ?? 0) > 0,
    run: (id) => runs.get(id)?.row,
  });
  if (answered === (run.row.answered ?? false)) return;
  if (!fresh.has(run.row.id)) run.row = { ...run.row, usage: { ...run.row.usage } };
  fresh.add(run.row.id);
  run.row.answered = answered;
  const above = runs.get(run.row.parentRunId ?? "");
  if (above) markAnswered(runs, fresh, above);
}

/** The event of a run by its seq. */
export function eventAt({ events, gaps }: RunJournal, seq: number): JournalEvent | undefined {
  return gaps ? events.find((event) => event.seq === seq) : events[seq - 1];
}

export function applyDelta(
  runs: Map<string, RunJournal>,
  { type, runId, callId, attempt, text }: Delta,
): void {
  const run = runs.get(runId);
  if (!run) return;
  const kind = KINDS[type];
  const key = kind === "reasoning" ? `${callId}/reasoning` : callId;
  const before = run.streaming.get(key);
  const kept = before?.attempt === attempt ? before.text : "";
  run.streaming.set(key, { kind, attempt, text: (kept + text).slice(-MAX_STREAMING) });
}

const KINDS = {
  "text.delta": "text",
  "reasoning.delta": "reasoning",
  "tool-output.delta": "tool_output",
} as const;
