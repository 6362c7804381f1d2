// Computes the runs of a tree from events. For each run it tracks the place in the tree, the state, the activity and the open items.

import type { JournalEvent } from "../../../journal/events.ts";
import { itemChanges } from "../../../projections/folds/approvals.ts";
import { applyRunState, emptyRunState, type RunState } from "../../../projections/folds/run-state.ts";
import {
  applyTimeline,
  type Timeline,
  type TimelineEntry,
  timelineProjection,
} from "../../../projections/views/timeline.ts";
import { patternRole } from "../../../projections/words/pattern-role.ts";
import { plainLine } from "../text/plain.ts";
import { type Activity, createActivity } from "./activity.ts";

export interface LiveRun {
  /** The agent's name and its role in a pattern. Further children with the same name are numbered, for example `worker#2`. */
  readonly name: string;
  /** Names of all runs from the root of the tree down to this run. */
  readonly path: readonly string[];
  readonly parent: LiveRun | undefined;
  readonly children: LiveRun[];
  readonly state: RunState;
  readonly timeline: Timeline;
  readonly activity: Activity;
  /** Ids of the run's open items, which a person must answer. */
  readonly open: Set<string>;
}

export interface LiveTree {
  /** The run that the command follows. All other runs are its descendants. Undefined before the first event. */
  readonly top: LiveRun | undefined;
  readonly runs: ReadonlyMap<string, LiveRun>;
  apply(event: JournalEvent): { run: LiveRun; entry: TimelineEntry | undefined };
}

export function createLiveTree(): LiveTree {
  const runs = new Map<string, LiveRun>();
  let top: LiveRun | undefined;
  return {
    get top() {
      return top;
    },
    runs,
    apply(event) {
      const run = runs.get(event.runId) ?? createRun(event, runs);
      runs.set(event.runId, run);
      top ??= run;
      return { run, entry: applyEvent(run, event) };
    },
  };
}

export const hasEnded = ({ state }: LiveRun): boolean => state.end !== undefined;

/** Whether this run itself needs a person, and not only one of its descendants. */
export const needsPerson = ({ state, open }: LiveRun): boolean =>
  !state.end &&
  !state.cancel &&
  (open.size > 0 || (state.status === "suspended" && state.waitingOn?.kind !== "child_hitl"));

export type Mark = "✓" | "✗" | "?" | "●" | "○";

/** Returns the state of a run as one character. */
export function markOf(run: LiveRun): Mark {
  const { end, status } = run.state;
  if (end) return end.status === "completed" ? "✓" : "✗";
  if (needsPerson(run)) return "?";
  return status === "running" ? "●" : "○";
}

export const pathText = ({ path }: LiveRun): string => path.join(" › ");

function createRun(event: JournalEvent, runs: ReadonlyMap<string, LiveRun>): LiveRun {
  const start = event.type === "RUN_STARTED" ? event.payload : undefined;
  const parent = start?.parentRunId === undefined ? undefined : runs.get(start.parentRunId);
  const part = start && patternRole(start);
  const agent = plainLine(start?.agent ?? event.runId);
  const name = nameBelow(parent, part === undefined ? agent : `${agent} (${part})`);
  const above = parent?.path ?? (start?.ancestors ?? []).map(({ agent }) => plainLine(agent));
  const state = emptyRunState();
  const run: LiveRun = {
    name,
    path: [...above, name],
    parent,
    children: [],
    state,
    timeline: timelineProjection.initial(),
    activity: createActivity(state),
    open: new Set(),
  };
  parent?.children.push(run);
  return run;
}

/** Numbers children that have the same name, so that people can distinguish their lines. */
function nameBelow(parent: LiveRun | undefined, agent: string): string {
  const before = (parent?.children ?? []).filter(
    ({ state }) => plainLine(state.start?.agent ?? "") === agent,
  );
  return before.length === 0 ? agent : `${agent}#${before.length + 1}`;
}

function applyEvent(run: LiveRun, event: JournalEvent): TimelineEntry | undefined {
  const { state, timeline, activity, open } = run;
  applyRunState(state, event);
  const before = timeline.entries.length;
  applyTimeline(timeline, event);
  activity.event(event, timeline.names.calls);
  for (const change of itemChanges(event)) {
    if (change.type === "open") open.add(change.itemId);
    else if (change.type === "close") open.delete(change.itemId);
    else open.clear();
  }
  return timeline.entries[before];
}
