// The journal of one run in the page, and the state derived from it.
// Adding an event takes the same time in a short and a long journal (U14).
// Lists grow in place, and a row is copied at most once per render.

import type { Delta } from "../../../src/journal/deltas.ts";
import type { EventOf, JournalEvent } from "../../../src/journal/events.ts";
import { type ItemChange, isAnswered, itemChanges } from "../../../src/projections/folds/approvals.ts";
import { applyRunRow, initialRow, type RunRow } from "../../../src/projections/folds/run-row.ts";
import { applyTimeline, type Timeline, timelineProjection } from "../../../src/projections/views/timeline.ts";

export interface RunJournal {
  /** `answered` means that all requests of the run and of the runs below it are answered, but that no worker has resumed the run yet. */
  row: RunRow & { answered?: boolean };
  /** Ids of the run's open requests. */
  open: Set<string>;
  /** All events. `events[n]` has seq n + 1 unless `gaps` is set; see `eventAt`. */
  events: JournalEvent[];
  /** Whether some events could not be read. */
  gaps: boolean;
  timeline: Timeline;
  /** Number of the run's calls that were refused: by a rule, by a person, or because nothing has that name. */
  refused: number;
  /** Ids of the child runs, in the order they started. */
  children: string[];
  /** Text and output being streamed, by call. Streamed text is never part of the journal. */
  streaming: Map<string, Streaming>;
}

export interface Streaming {
  kind: "text" | "reasoning" | "tool_output";
  attempt: number;
  text: string;
}

/** The page keeps only the end of a command's output, but all of an agent's words. The journal has everything. */
const MAX_STREAMING = { tool_output: 20_000, text: 200_000, reasoning: 200_000 };

/** P9: skips an unreadable event and keeps all other events. */
export function applyEvent(runs: Map<string, RunJournal>, fresh: Set<string>, event: JournalEvent): void {
  try {
    fold(runs, fresh, event);
  } catch {
    const run = runs.get(event.runId);
    if (run) run.gaps = true;
  }
}

/** `fresh` contains the runs whose rows were already copied since the last render. */
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
  if (event.type === "TOOL_RESULT") {
    run.streaming.delete(event.payload.toolCallId);
    if (event.payload.outcome === "denied") run.refused++;
  }
}

const startedRun = ({ runId, payload, ts }: EventOf<"RUN_STARTED">): RunJournal => ({
  row: initialRow(runId, payload, ts),
  events: [],
  gaps: false,
  timeline: timelineProjection.initial(),
  open: new Set(),
  refused: 0,
  children: [],
  streaming: new Map(),
});

function applyItemChange(open: Set<string>, change: ItemChange): void {
  if (change.type === "open") open.add(change.itemId);
  else if (change.type === "close") open.delete(change.itemId);
  else open.clear();
}

/** Updates `answered` of a run, and then of the runs above it, which may have been waiting only for this run. */
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

/** The number of loaded events. The journal is one mutable object, so views use this number to notice that it has grown. */
export const eventCount = ({ runs }: { runs: ReadonlyMap<string, RunJournal> }): number =>
  [...runs.values()].reduce((sum, { events }) => sum + events.length, 0);

/** The event with this sequence number. */
export function eventAt({ events, gaps }: RunJournal, seq: number): JournalEvent | undefined {
  return gaps ? events.find((event) => event.seq === seq) : events[seq - 1];
}

export function applyDelta(
  runs: Map<string, RunJournal>,
  { type, runId, callId, attempt, text, whole }: Delta,
): void {
  const run = runs.get(runId);
  if (!run || (whole && hasEnded(run, callId))) return;
  const kind = KINDS[type];
  const key = kind === "reasoning" ? `${callId}/reasoning` : callId;
  const before = run.streaming.get(key);
  const kept = before?.attempt === attempt && !whole ? before.text : "";
  // Setting the key again makes it the last one: views show the latest words.
  run.streaming.delete(key);
  run.streaming.set(key, { kind, attempt, text: (kept + text).slice(-MAX_STREAMING[kind]) });
}

/** Whether the journal already has the call's end. */
function hasEnded({ events }: RunJournal, callId: string): boolean {
  const last = events.findLast(
    ({ payload }) =>
      ("callId" in payload && payload.callId === callId) ||
      ("toolCallId" in payload && payload.toolCallId === callId),
  );
  return last !== undefined && ENDS.has(last.type);
}

const ENDS: ReadonlySet<string> = new Set(["AGENT_THOUGHT", "MODEL_CALL_FAILED", "TOOL_RESULT"]);

const KINDS = {
  "text.delta": "text",
  "reasoning.delta": "reasoning",
  "tool-output.delta": "tool_output",
} as const;
