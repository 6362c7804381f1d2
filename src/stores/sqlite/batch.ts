// One transaction over everything that was waiting when it began (J4). Appends of one run are applied in order of
// arrival, each against the row as the one before left it; seq, position and hash are given here, after refusals.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { type EventBody, type JournalEvent, type Payload, TERMINAL_TYPES } from "../../journal/events.ts";
import { readEvent } from "../../journal/upcast.ts";
import { initialRow } from "../../projections/folds/run-row.ts";
import { digest } from "../blobs.ts";
import { type RunRecord, readRecord } from "../run-record.ts";
import type { Append, AppendResult } from "../store.ts";
import * as rules from "../transaction/append-rules.ts";
import { runIdTaken } from "../transaction/start-rules.ts";
import { askBudget, raiseTree, warnRoot } from "./budgets.ts";
import { updateInbox } from "./inbox.ts";
import { insertRow, type Statements, writeHeld } from "./run-rows.ts";
import { leavePlace, leaveQueue, queue, takePlace } from "./slots.ts";
import { admitChild, claimedBy, noRoom, tellTree } from "./tree.ts";

const ALL = -1;

export class Batch {
  readonly written: JournalEvent[] = [];
  private readonly dirty = new Set<RunRecord>();
  readonly statements: Statements;
  /** Of everything in this batch. */
  readonly now: number;
  private readonly cache: Map<RunId, RunRecord>;
  private readonly fresh: Set<string>;
  position: number;
  /** The standing grants have changed. */
  granted = false;
  /** Runs that were made due without an event: their turn has come (B4). */
  readonly woken: RunId[] = [];

  constructor(parts: {
    statements: Statements;
    now: number;
    cache: Map<RunId, RunRecord>;
    /** Blobs that were put for an append which has not come yet. */
    fresh: Set<string>;
    position: number;
  }) {
    this.statements = parts.statements;
    this.now = parts.now;
    this.cache = parts.cache;
    this.fresh = parts.fresh;
    this.position = parts.position;
  }

  append(append: Append): AppendResult {
    const held = this.load(append.runId);
    const repeated = this.repeated(held, append.events);
    const driver = rules.isDriver(held, append);
    const stale = append.writer && !driver && append.events.some(rules.permitsAction);
    if (repeated === "same" && !stale) return { events: this.journalAfter(held, append.after) };
    const refused =
      rules.refusalOf(held, append, this.keysOf(held), repeated === "conflict") ??
      (append.spawn && noRoom(this.statements, held, append.spawn));
    if (refused) return this.refuse(held, append, { refused });
    const budget = append.reserve ? askBudget(this, held, append.reserve) : {};
    if (budget.refused) return this.refuse(held, append, budget.refused);
    const { claims = [] } = append;
    const claimed = claimedBy(this, this.statements, held, claims);
    if (claimed) return this.refuse(held, append, { refused: "claimed", claimedBy: claimed });
    // Last: it takes what it finds.
    if (!takePlace(this, held, append)) return this.refuse(held, append, { refused: "places" });
    for (const path of claims) this.statements.claim.run(held.row.rootRunId, path, held.row.id);
    const missed = held.row.seq > append.after ? this.journalAfter(held, append.after) : [];
    const seq = held.row.seq;
    this.write(held, append.events, driver);
    if (append.spawn) admitChild(this, append.spawn);
    warnRoot(this, held, budget.warnings ?? []);
    raiseTree(this, held, append.events);
    if (append.rest && driver) this.rest(held, append.rest.wakeAt, append.rest.queue);
    const own = this.journalAfter(held, seq);
    return { events: missed.length === 0 ? own : [...missed, ...own] };
  }

  private refuse(held: RunRecord, { after }: Append, why: Omit<AppendResult, "events">): AppendResult {
    return { events: this.journalAfter(held, after), ...why };
  }

  sameStart(held: RunRecord, start: Payload<"RUN_STARTED">): RunId {
    if (this.repeated(held, [{ type: "RUN_STARTED", payload: start }]) === "same") return held.row.id;
    throw runIdTaken(held.row.id);
  }

  /** The run gives its lease back, and its place; or it waits for one. */
  rest(held: RunRecord, wakeAt: number | undefined, places?: number): void {
    if (places === undefined) leavePlace(this, held);
    rules.putToRest(held, places === undefined ? wakeAt : queue(this, held, places));
  }

  /** As it is: with its place, unless its driver cannot go on. */
  giveBack(held: RunRecord, until?: { wakeAt: number }): void {
    if (until) leavePlace(this, held);
    rules.returnLease(held, until?.wakeAt ?? 0);
    this.touch(held);
  }

  /** Appends as somebody else than the driver, whatever has happened since. */
  signal(held: RunRecord, events: readonly EventBody[]): void {
    this.write(held, events, false);
  }

  hasKey(held: RunRecord, key: string): boolean {
    return this.keysOf(held).has(key);
  }

  load(runId: RunId): RunRecord {
    const held = this.find(runId);
    if (!held) throw runNotFound(runId);
    return held;
  }

  find(runId: RunId): RunRecord | undefined {
    const known = this.cache.get(runId);
    if (known) return known;
    const columns = this.statements.runById.get(runId);
    if (!columns) return undefined;
    const held = readRecord(columns);
    this.cache.set(runId, held);
    return held;
  }

  /** A run without events yet: it is not read back. */
  admitted(runId: RunId, start: Payload<"RUN_STARTED">, at = this.now): RunRecord {
    const held = insertRow(this.statements, { ...initialRow(runId, start, at), seq: 0 });
    this.cache.set(runId, held);
    return held;
  }

  /** A run that is there no more. */
  forget(runId: RunId): void {
    const held = this.cache.get(runId);
    if (held) this.dirty.delete(held);
    this.cache.delete(runId);
  }

  /** For a caller that changes a row itself. */
  touch(held: RunRecord): void {
    this.dirty.add(held);
  }

  /** At the end, and before a query over several runs: it must see what this batch has done to them. */
  writeRows(): void {
    for (const held of this.dirty) writeHeld(this.statements, held);
    this.dirty.clear();
  }

  /** J1: looks at the keys first. */
  private repeated(held: RunRecord, events: readonly EventBody[]): "same" | "conflict" | undefined {
    const seqs = rules.storedSeqs(this.keysOf(held), events);
    if (seqs === undefined || seqs === "conflict") return seqs;
    return events.every((event, index) => this.isStored(held, event, seqs[index]!)) ? "same" : "conflict";
  }

  private isStored(held: RunRecord, event: EventBody, seq: number): boolean {
    const stored = this.statements.eventBySeq.get(held.n, seq);
    return stored?.["type"] === event.type && stored["payload"] === this.textOf(event.payload);
  }

  /** The seq of every key of a run: read once, and kept while the run is under way. An index would cost every event. */
  keysOf(held: RunRecord): Map<string, number> {
    held.keys ??= new Map(
      this.statements.keys.all(held.n).map((columns) => [columns["key"] as string, columns["seq"] as number]),
    );
    return held.keys;
  }

  private write(held: RunRecord, events: readonly EventBody[], driver: boolean): void {
    this.dirty.add(held);
    const placed = events.map((event) => this.insert(held, event));
    if (!driver) rules.noteSignal(held, placed);
    tellTree(this, held, placed);
  }

  private insert(held: RunRecord, body: EventBody): JournalEvent {
    const text = this.textOf(body.payload);
    const at = { position: this.position + 1, ts: this.now };
    const { event, hash } = rules.nextEvent(held, body, { ...at, text });
    this.place(held, event, { text, hash });
    if (updateInbox(this.statements, held, event)) this.granted = true;
    return event;
  }

  /** An event in its journal and in its row, at the next position. */
  place(held: RunRecord, event: JournalEvent, stored: rules.StoredText): void {
    const { seq, position, ts, type, key } = event;
    const bytes = Buffer.from(stored.hash, "hex");
    this.statements.insertEvent.run(position, held.n, seq, ts, type, key, stored.text, bytes);
    this.keysOf(held).set(key, seq);
    this.position = position;
    rules.applyEvent(held, event, stored);
    if (event.type === "CANCEL_REQUESTED") leaveQueue(this, held);
    if (TERMINAL_TYPES.has(event.type)) this.rest(held, undefined);
    this.noteNeeds(held, event, stored.text);
    this.written.push(event);
  }

  /** What must be kept as long as this run is. */
  private noteNeeds({ n }: RunRecord, event: JournalEvent, stored: string): void {
    const { setContinues, addRef } = this.statements;
    if (event.type === "RUN_STARTED" && event.payload.continues)
      setContinues.run(event.payload.continues.runId, n);
    for (const hash of rules.neededBlobs(event, stored)) {
      addRef.run(n, hash);
      this.fresh.delete(hash);
    }
  }

  private textOf(payload: unknown): string {
    const text = JSON.stringify(payload);
    if (text.length <= rules.MAX_INLINE_PAYLOAD) return text;
    const hash = digest(text);
    this.statements.putBlob.run(hash, text);
    return JSON.stringify({ $blob: hash });
  }

  journalAfter(held: RunRecord, after: number): JournalEvent[] {
    if (held.row.seq <= after) return [];
    const first = held.recent[0];
    if (first && first.seq <= after + 1) return held.recent.slice(after + 1 - first.seq);
    return this.statements.eventsAfter.all(held.n, after, ALL).map((columns) =>
      readEvent({
        runId: held.row.id,
        seq: columns["seq"] as number,
        position: columns["position"] as number,
        ts: columns["ts"] as number,
        type: columns["type"] as string,
        key: columns["key"] as string,
        text: payloadText(this.statements, columns["payload"] as string),
      }),
    );
  }
}

/** J9: a chain covers a blob's name, so the blob must be what its name says. */
export function payloadText(statements: Statements, stored: string): string {
  const $blob = rules.blobNameIn(stored);
  if ($blob === undefined) return stored;
  const found = statements.getBlob.get($blob)?.["text"];
  if (typeof found !== "string" || digest(found) !== $blob)
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `The stored value ${$blob} is missing or damaged. Only what needs it is affected.`,
    );
  return found;
}
