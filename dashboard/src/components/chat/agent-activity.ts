// What each agent of a tree does now, and what it has been told but not read: S4's five states and its queue, folded
// from the journal in the words of the live feed.

import type { AgentState, LiveState } from "../../../../src/projections/formats/live-feed.ts";
import { initialLiveState, liveEventsOf } from "../../../../src/projections/formats/live-feed.ts";
import type { RunJournal } from "../../live/tree-journal.ts";

export interface AgentActivity {
  state: AgentState;
  /** In words: "Calling Read". */
  detail: string;
  queue: LiveState["queue"];
}

interface Folded extends AgentActivity {
  live: LiveState;
  upTo: number;
}

const folded = new WeakMap<RunJournal, Folded>();

/** Each event is folded once, however often it is asked. */
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
