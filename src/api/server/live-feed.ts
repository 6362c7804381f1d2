// Encodes the live feed of all runs with the message types of contract S4 (S4-37 … S4-46).
// Every message has an increasing whole number `seq`. The number is derived from the position of the message's event, so all readers get the same numbers.
// A message without an event, such as a token, gets the next number after the messages before it.

import type { Position } from "../../ids.ts";
import { initialRow } from "../../projections/folds/run-row.ts";
import {
  initialLiveState,
  type LiveEvent,
  type LiveState,
  liveEventsOf,
  liveEventsOfDelta,
} from "../../projections/formats/live-feed.ts";
import type { Store } from "../../stores/store.ts";
import type { Encoder } from "./hub.ts";
import { sseFrame } from "./sse.ts";

/** Distance between the numbers of two positions. The messages of an event, and the tokens until the next event, use the numbers in between. */
const STEP = 2 ** 20;

/** Maximum number of runs whose state is cached. */
const MAX_KNOWN = 5_000;

/** `position` is the store's latest position. The numbers of messages without an event continue from there. */
export function feedEncoder(store: Store, position: Position): Encoder {
  const known = new Map<string, LiveState>();
  let seq = (position + 1) * STEP - STEP / 2;
  const remember = (state: LiveState): LiveState => {
    known.delete(state.run.run_id);
    known.set(state.run.run_id, state);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!);
    return state;
  };
  /** Encodes a message that belongs to no event. Returns "" if all numbers before the next event are used: the message is dropped. */
  const transient = (message: LiveEvent): string => {
    if ((seq + 1) % STEP === 0) return "";
    seq += 1;
    return messageFrame(seq, message);
  };
  return {
    prepare(events) {
      const started = new Set(events.flatMap(({ type, runId }) => (type === "RUN_STARTED" ? [runId] : [])));
      const unknown = new Set(
        events.flatMap(({ runId }) => (known.has(runId) || started.has(runId) ? [] : [runId])),
      );
      if (unknown.size === 0) return undefined;
      return Promise.all([...unknown].map((runId) => store.runs.get(runId))).then((rows) => {
        for (const row of rows)
          if (row) remember(initialLiveState({ ...row, status: "running", endedAt: undefined }));
      });
    },
    event(event) {
      if (event.type === "RUN_STARTED")
        remember(initialLiveState(initialRow(event.runId, event.payload, event.ts)));
      const state = known.get(event.runId);
      if (!state) return "";
      const messages = liveEventsOf(remember(state), event);
      if (state.run.ended_at !== undefined) known.delete(event.runId);
      return messages
        .map((one, index) => {
          seq = event.position * STEP + index;
          // Only an event's last message has an id. A reader that reconnects before that message gets all messages of the event again.
          const id = index === messages.length - 1 ? `id: ${store.id}.${event.position}\n` : "";
          return id + messageFrame(seq, one);
        })
        .join("");
    },
    delta(delta) {
      const state = known.get(delta.runId);
      if (!state) return "";
      return liveEventsOfDelta(state, delta).map(transient).join("");
    },
    settings: (settings) => transient({ type: "SettingsUpdated", settings }),
  };
}

const messageFrame = (seq: number, { type, ...data }: LiveEvent): string => sseFrame({ seq, type, ...data });
