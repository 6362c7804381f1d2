// Counts unsafe calls that were started again without a person's consent. The count must be zero (P4).

import type { JournalEvent } from "../../journal/events.ts";
import type { Projection } from "../projection.ts";

export interface RepeatedEffects {
  count: number;
  /** The unsafe calls of one run, and how often each call may still be started. */
  left: Map<string, number>;
}

export const repeatedEffectsProjection: Projection<RepeatedEffects> = {
  name: "repeated-effects",
  initial: () => ({ count: 0, left: new Map() }),
  apply(state, event) {
    const { left } = state;
    const add = (id: string, by: number): void => void left.set(id, (left.get(id) ?? 0) + by);
    if (
      event.type === "TOOL_PROPOSED" &&
      event.payload.effect === "unsafe" &&
      event.payload.afterCrash === undefined &&
      !left.has(event.payload.toolCallId)
    )
      add(event.payload.toolCallId, 1);
    if (isAllowedAgain(event) && left.has(event.payload.toolCallId)) add(event.payload.toolCallId, 1);
    if (event.type !== "TOOL_STARTED" || !left.has(event.payload.toolCallId)) return state;
    if (left.get(event.payload.toolCallId) === 0) state.count++;
    else add(event.payload.toolCallId, -1);
    return state;
  },
};

const isAllowedAgain = (event: JournalEvent): event is Extract<JournalEvent, { type: "OUTCOME_DECIDED" }> =>
  event.type === "OUTCOME_DECIDED" && event.payload.verdict === "run_again";
