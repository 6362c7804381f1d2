// Distributes committed events to all readers of live streams.
// Readers of the same channel share the bytes: each event is encoded only once. The events of one tick are sent together.
//  V4  The cost depends on the number of channels and on the bytes sent. The hub does not read events again for each reader.

import type { Position, RunId } from "../../ids.ts";
import type { Delta } from "../../journal/deltas.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { Store } from "../../stores/store.ts";
import type { Settings, SettingsBody } from "./settings-file.ts";

export interface Channel {
  /** Two readers have the same key if they read the same runs in the same encoding. */
  key: string;
  /** The runs that the channel covers. Undefined means all runs. */
  scope: Scope | undefined;
  encoder(): Encoder;
}

/** The runs whose events are sent. `runs` grows as children become known. */
export interface Scope {
  runs: Set<RunId>;
  /** True if the scope includes children that these runs start later. */
  tree: boolean;
}

export interface Encoder {
  /** Loads the data that the encoder needs for these events. Returns undefined if there is nothing to load. */
  prepare?(events: readonly JournalEvent[]): Promise<void> | undefined;
  /** Returns the text to send, or "" if the event is not sent. */
  event(event: JournalEvent): string;
  delta(delta: Delta): string;
  /** Encodes changed settings. Absent if this encoder does not send settings. */
  settings?(now: SettingsBody): string;
}

export interface Reader {
  take(batch: Batch): void;
  /** P10: tells the reader that an event could not be delivered. The reader must then read the store from its own last position. */
  behind(): void;
  /** Passes on bytes that the reader is allowed to drop. */
  hint(bytes: Uint8Array): void;
}

export interface Frame {
  event: JournalEvent;
  bytes: Uint8Array;
}

export interface Batch {
  frames: readonly [Frame, ...Frame[]];
  /** The bytes of all frames together. */
  bytes(): Uint8Array;
}

export interface Hub {
  /** Adds a reader, which gets all later batches. Returns the scope that all readers of the channel share. */
  join(channel: Channel, reader: Reader): { scope: Scope | undefined; leave(): void };
}

interface Group {
  scope: Scope | undefined;
  encoder: Encoder;
  readers: Set<Reader>;
  /** Resolves when the previous batch is processed. Later batches wait for this promise, so that all batches stay in order. */
  before: Promise<void> | undefined;
}

export interface HubParts {
  store: { journal: Pick<Store["journal"], "onCommit"> };
  settings: Pick<Settings, "onChange">;
  onDelta(listener: (delta: Delta) => void): () => void;
  onProblem(problem: { message: string; error: unknown }): void;
}

export function createHub({ store, settings, onDelta, onProblem }: HubParts): Hub {
  const groups = new Map<string, Group>();
  let pending: JournalEvent[] = [];
  let unsubscribe: (() => void) | undefined;

  const deliver = (group: Group, events: readonly JournalEvent[]): void => {
    const ready = group.encoder.prepare?.(events);
    if (!ready && !group.before) {
      send(group, events);
      return;
    }
    const turn = Promise.all([group.before, ready])
      .then(() => send(group, events))
      .catch((error: unknown) => {
        onProblem({
          message: "A stream of events was interrupted. Its readers continue from the store.",
          error,
        });
        tellBehind(group);
      })
      .then(() => {
        if (group.before === turn) group.before = undefined;
      });
    group.before = turn;
  };
  const flush = (): void => {
    const events = pending;
    pending = [];
    for (const group of groups.values()) {
      const own = group.scope ? events.filter((event) => isInScope(event, group.scope)) : events;
      if (own.length > 0) deliver(group, own);
    }
  };
  const subscribe = (): void => {
    const endCommits = store.journal.onCommit((events, woken) => {
      if (events.length === 0 && woken.length === 0) for (const group of groups.values()) tellBehind(group);
      if (pending.length === 0 && events.length > 0) queueMicrotask(flush);
      for (const event of events) pending.push(event);
    });
    const endDeltas = onDelta((delta) => {
      for (const group of groups.values())
        if (group.scope?.runs.has(delta.runId) ?? true) hint(group, group.encoder.delta(delta));
    });
    const endSettings = settings.onChange((now) => {
      for (const group of groups.values()) hint(group, group.encoder.settings?.(now) ?? "");
    });
    unsubscribe = () => {
      endCommits();
      endDeltas();
      endSettings();
    };
  };

  return {
    join({ key, scope, encoder }, reader) {
      if (groups.size === 0) subscribe();
      const known = groups.get(key);
      const group = known ?? { scope, encoder: encoder(), readers: new Set(), before: undefined };
      if (known) for (const runId of scope?.runs ?? []) known.scope?.runs.add(runId);
      else groups.set(key, group);
      group.readers.add(reader);
      return {
        scope: group.scope,
        leave() {
          group.readers.delete(reader);
          if (group.readers.size > 0 || groups.get(key) !== group) return;
          groups.delete(key);
          if (groups.size === 0) unsubscribe?.();
        },
      };
    },
  };
}

/** Tells whether an event belongs to the scope. The first event of a child adds the child to the scope. */
export function isInScope(event: JournalEvent, scope: Scope | undefined): boolean {
  if (!scope) return true;
  const { runs, tree } = scope;
  const parent = tree && event.type === "RUN_STARTED" ? event.payload.parentRunId : undefined;
  if (parent !== undefined && runs.has(parent)) runs.add(event.runId);
  return runs.has(event.runId);
}

/** Returns the bytes of the frames whose position is after `place` and not after `end`. */
export function bytesAfter({ frames, bytes }: Batch, place: Position, end = Infinity): Uint8Array {
  const isWhole = frames[0].event.position > place && frames.at(-1)!.event.position <= end;
  if (isWhole) return bytes();
  const wanted = frames.filter(({ event: { position } }) => position > place && position <= end);
  return Buffer.concat(wanted.map((frame) => frame.bytes));
}

const encoder = new TextEncoder();
export const encode = (text: string): Uint8Array => encoder.encode(text);

function hint({ readers }: Group, text: string): void {
  if (text === "") return;
  const bytes = encode(text);
  for (const reader of readers) reader.hint(bytes);
}

function tellBehind({ readers }: Group): void {
  for (const reader of readers) reader.behind();
}

function send({ encoder, readers }: Group, events: readonly JournalEvent[]): void {
  const [first, ...others] = events.map((event) => ({ event, bytes: encode(encoder.event(event)) }));
  if (!first) return;
  const frames = [first, ...others] as const;
  let whole: Uint8Array | undefined;
  const batch: Batch = {
    frames,
    bytes: () =>
      (whole ??= others.length === 0 ? first.bytes : Buffer.concat(frames.map(({ bytes }) => bytes))),
  };
  for (const reader of readers) reader.take(batch);
}
