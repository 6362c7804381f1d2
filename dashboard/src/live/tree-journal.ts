// The journals of a whole tree, folded here with the projections of the server: read in pages from the beginning, then
// followed. Losing the connection costs nothing: it goes on after the last event that was folded.
//  Everything that a view of the tree shows is in here, so that all of them show the same instant.

import type { EventPage } from "../../../src/api/schema.ts";
import type { Delta } from "../../../src/journal/deltas.ts";
import type { JournalEvent } from "../../../src/journal/events.ts";
import { applyRunRow, firstRow, type RunRow } from "../../../src/projections/run-row.ts";
import { applyTimeline, type Timeline, timelineProjection } from "../../../src/projections/timeline.ts";
import { client } from "./client.ts";
import { keepFollowing } from "./keep-following.ts";

export interface RunJournal {
  row: RunRow;
  /** All of them; `events[n]` has seq n + 1. */
  events: JournalEvent[];
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

export interface TreeJournal {
  readonly runs: ReadonlyMap<string, RunJournal>;
  /** All that had happened when the page was opened is here. */
  readonly loaded: boolean;
  /** What the journal could not be read for. */
  readonly failure: Error | undefined;
  /** Grows with every change. */
  readonly version: number;
  subscribe(listener: () => void): () => void;
  close(): void;
}

/** Of a program's output, the end is enough while it runs; the result has the rest. */
const MAX_STREAMING = 20_000;

export function openTreeJournal(rootId: string): TreeJournal {
  const runs = new Map<string, RunJournal>();
  const listeners = new Set<() => void>();
  const end = new AbortController();
  let after = 0;
  let version = 0;
  let loaded = false;
  let failure: Error | undefined;
  let frame: number | undefined;
  /** Views are told once for all that comes before the next picture is drawn. */
  const changed = () => {
    version++;
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      for (const listener of listeners) listener();
    });
  };
  const take = (event: JournalEvent) => {
    if (event.position <= after) return;
    after = event.position;
    applyEvent(runs, event);
  };
  const load = async () => {
    for await (const events of pagesOf(rootId, end.signal)) {
      for (const event of events) take(event);
      changed();
    }
    loaded = true;
    changed();
  };
  const followOn = () =>
    keepFollowing({
      signal: end.signal,
      open: (own, signal) => own.follow({ runId: rootId, tree: true, onward: true, after, signal }),
      onState: () => {},
      onItem(item) {
        if (item.type === "reset") {
          runs.clear();
          after = 0;
        } else if (item.type === "event") take(item.event);
        else applyDelta(runs, item.delta);
        changed();
      },
    });
  load()
    .then(followOn)
    .catch((error: unknown) => {
      failure = error as Error;
      changed();
    });
  return {
    runs,
    get loaded() {
      return loaded;
    },
    get failure() {
      return failure;
    },
    get version() {
      return version;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      end.abort();
      listeners.clear();
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}

async function* pagesOf(rootId: string, signal: AbortSignal): AsyncGenerator<readonly JournalEvent[]> {
  let after: number | undefined = 0;
  while (after !== undefined && !signal.aborted) {
    const page: EventPage = await client.eventsPage(rootId, { after, tree: true });
    yield page.events;
    after = page.nextAfter;
  }
}

function applyEvent(runs: Map<string, RunJournal>, event: JournalEvent): void {
  if (event.type === "RUN_STARTED") {
    runs.set(event.runId, {
      row: firstRow(event.runId, event.payload, event.ts),
      events: [],
      timeline: timelineProjection.initial(),
      children: [],
      streaming: new Map(),
    });
  }
  const run = runs.get(event.runId);
  if (!run) return;
  if (event.type !== "RUN_STARTED") run.row = applyRunRow({ ...run.row }, event);
  run.events.push(event);
  run.timeline = applyTimeline(run.timeline, event);
  if (event.type === "CHILD_RUN_STARTED") run.children.push(event.payload.child_run_id);
  if (event.type === "AGENT_THOUGHT" || event.type === "MODEL_CALL_FAILED") {
    run.streaming.delete(event.payload.callId);
    run.streaming.delete(`${event.payload.callId}/reasoning`);
  }
  if (event.type === "TOOL_RESULT") run.streaming.delete(event.payload.toolCallId);
}

function applyDelta(runs: Map<string, RunJournal>, { type, runId, callId, attempt, text }: Delta): void {
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
