// Finds the files that a run changed after untrusted text had reached it.
// The text could be in these files, so they taint the runs that read them, and a grant for a command that runs them has to be given again.

import type { JournalEvent } from "../../journal/events.ts";
import { emptyTaint, isTainted, type Taint, trackTaint } from "./taint.ts";

export interface TaintedWrite {
  /** The file, relative to the workspace. Undefined for a command, which could have changed any file. */
  path: string | undefined;
  at: number;
  source: string;
}

export interface TaintedWrites {
  taint: Taint;
  writes: TaintedWrite[];
  /** Ids of the calls that can change something and that have started. */
  started: Set<string>;
  unsafe: Set<string>;
}

/** After this many files, a further file is recorded as "any file", so that a run with many changes needs little memory. */
const MOST_FILES = 500;

export const noTaintedWrites = (): TaintedWrites => ({
  taint: emptyTaint(),
  writes: [],
  started: new Set(),
  unsafe: new Set(),
});

export function trackTaintedWrites(state: TaintedWrites, event: JournalEvent): void {
  trackTaint(state.taint, event);
  if (event.type === "TOOL_PROPOSED") {
    if (event.payload.effect === "read") state.unsafe.delete(event.payload.toolCallId);
    else state.unsafe.add(event.payload.toolCallId);
  }
  if (event.type === "TOOL_STARTED") state.started.add(event.payload.toolCallId);
  if (event.type !== "TOOL_RESULT") return;
  const { toolCallId, files, recorded } = event.payload;
  const hasRun = state.started.delete(toolCallId) && state.unsafe.delete(toolCallId) && !recorded;
  const [source] = state.taint.sources;
  if (source === undefined || !isTainted(state.taint)) return;
  if (files && state.writes.length < MOST_FILES)
    for (const { path } of files) state.writes.push({ path, at: event.ts, source });
  else if (hasRun) addAnyFile(state, event.ts, source);
}

/** Keeps only the latest command, because each one could have changed any file. */
function addAnyFile(state: TaintedWrites, at: number, source: string): void {
  state.writes = [...state.writes.filter(({ path }) => path !== undefined), { path: undefined, at, source }];
}
