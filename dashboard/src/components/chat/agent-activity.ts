// Computes from the journal what an agent is doing now and which messages it has not read yet (S4-43, S4-65).

import {
  type AgentState,
  initialLiveState,
  type LiveState,
  liveEventsOf,
} from "../../../../src/projections/formats/live-feed.ts";
import type { RunJournal } from "../../live/tree-journal.ts";

export interface AgentActivity {
  state: AgentState;
  /** A short text such as "Calling Read". */
  detail: string;
  queue: LiveState["queue"];
}

interface Folded extends AgentActivity {
  live: LiveState;
  upTo: number;
}

const folded = new WeakMap<RunJournal, Folded>();

/** Processes only the events that were added since this function was last called for the run. */
export function agentActivity(run: RunJournal): AgentActivity {
  const known = folded.get(run) ?? {
    ...{ state: "working" as const, detail: "Starting", queue: [], upTo: 0 },
    live: initialLiveState({ ...run.row, status: "running", endedAt: undefined }),
  };
  for (const event of run.events.slice(known.upTo)) {
    for (const told of liveEventsOf(known.live, event)) {
      if (told.type === "AgentStatus") [known.state, known.detail] = [told.status, told.detail];
    }
  }
  known.upTo = run.events.length;
  known.queue = known.live.queue;
  folded.set(run, known);
  return known;
}
