// One transaction over everything that was waiting when it began (J4), under the lock of the head: nobody else writes
// meanwhile. Appends of one run are applied in order of arrival, each against the row as the one before left it; seq,
// position and hash are given here, after refusals.

import type { RunId } from "../../ids.ts";
import { type EventBody, type JournalEvent, type Payload, TERMINAL_TYPES } from "../../journal/events.ts";
import type { RunRecord } from "../run-record.ts";
import type { Append, AppendResult } from "../store.ts";
import * as rules from "../transaction/append-rules.ts";
import { runIdTaken } from "../transaction/start-rules.ts";
import { EventRows } from "./batch-events.ts";
import { askBudget, raiseTree, warnRoot } from "./budgets.ts";
import { updateInbox } from "./inbox.ts";
import { leavePlace, leaveQueue, queue, takePlace } from "./slots.ts";
import { admitChild, claimedBy, noRoom, tellTree } from "./tree.ts";

export class Batch extends EventRows {
  /** Runs that were made due without an event: their turn has come (B4). */
  readonly woken: RunId[] = [];

  async append(append: Append): Promise<AppendResult> {
    const held = await this.load(append.runId);
    const repeated = await this.repeated(held, append.events);
    const driver = rules.isDriver(held, append);
    const stale = append.writer && !driver && append.events.some(rules.permitsAction);
    if (repeated === "same" && !stale) return { events: await this.journalAfter(held, append.after) };
    const refused =
      rules.refusalOf(held, append, await this.keysOf(held), repeated === "conflict") ??
      (append.spawn && (await noRoom(this, held, append.spawn)));
    if (refused) return this.refuse(held, append, { refused });
    const budget = append.reserve ? await askBudget(this, held, append.reserve) : {};
    if (budget.refused) return this.refuse(held, append, budget.refused);
    const { claims = [] } = append;
    const claimed = await claimedBy(this, held, claims);
    if (claimed) return this.refuse(held, append, { refused: "claimed", claimedBy: claimed });
    // Last: it takes what it finds.
    if (!(await takePlace(this, held, append))) return this.refuse(held, append, { refused: "places" });
    for (const path of claims) await this.sql.run(CLAIM, held.row.rootRunId, path, held.row.id);
    const missed = held.row.seq > append.after ? await this.journalAfter(held, append.after) : [];
    const seq = held.row.seq;
    await this.write(held, append.events, driver);
    if (append.spawn) await admitChild(this, append.spawn);
    await warnRoot(this, held, budget.warnings ?? []);
    await raiseTree(this, held, append.events);
    if (append.rest && driver) await this.rest(held, append.rest.wakeAt, append.rest.queue);
    const own = await this.journalAfter(held, seq);
    return { events: missed.length === 0 ? own : [...missed, ...own] };
  }

  private async refuse(
    held: RunRecord,
    { after }: Append,
    why: Omit<AppendResult, "events">,
  ): Promise<AppendResult> {
    return { events: await this.journalAfter(held, after), ...why };
  }

  async sameStart(held: RunRecord, start: Payload<"RUN_STARTED">): Promise<RunId> {
    const repeated = await this.repeated(held, [{ type: "RUN_STARTED", payload: start }]);
    if (repeated === "same") return held.row.id;
    throw runIdTaken(held.row.id);
  }

  /** The run gives its lease back, and its place; or it waits for one. */
  async rest(held: RunRecord, wakeAt: number | undefined, places?: number): Promise<void> {
    if (places === undefined) await leavePlace(this, held);
    rules.putToRest(held, places === undefined ? wakeAt : await queue(this, held, places));
    this.touch(held);
  }

  /** As it is: with its place, unless its driver cannot go on. */
  async giveBack(held: RunRecord, until?: { wakeAt: number }): Promise<void> {
    if (until) await leavePlace(this, held);
    rules.returnLease(held, until?.wakeAt ?? 0);
    this.touch(held);
  }

  /** Appends as somebody else than the driver, whatever has happened since. */
  async signal(held: RunRecord, events: readonly EventBody[]): Promise<void> {
    await this.write(held, events, false);
  }

  /** J1: looks at the keys first. */
  private async repeated(
    held: RunRecord,
    events: readonly EventBody[],
  ): Promise<"same" | "conflict" | undefined> {
    const seqs = rules.storedSeqs(await this.keysOf(held), events);
    if (seqs === undefined || seqs === "conflict") return seqs;
    for (const [index, event] of events.entries())
      if (!(await this.isStored(held, event, seqs[index]!))) return "conflict";
    return "same";
  }

  private async isStored(held: RunRecord, event: EventBody, seq: number): Promise<boolean> {
    const stored = await this.eventBySeq(held, seq);
    return stored?.["type"] === event.type && stored["payload"] === (await this.textOf(event.payload));
  }

  private async write(held: RunRecord, events: readonly EventBody[], driver: boolean): Promise<void> {
    this.touch(held);
    const placed: JournalEvent[] = [];
    for (const event of events) placed.push(await this.insert(held, event));
    if (!driver) rules.noteSignal(held, placed);
    await tellTree(this, held, placed);
  }

  private async insert(held: RunRecord, body: EventBody): Promise<JournalEvent> {
    const event = await this.place(held, body);
    if (event.type === "CANCEL_REQUESTED") await leaveQueue(this, held);
    if (TERMINAL_TYPES.has(event.type)) await this.rest(held, undefined);
    await updateInbox(this.sql, held, event);
    return event;
  }
}

export const CLAIM = `INSERT INTO claims (root, path, run) VALUES ($1, $2, $3)
  ON CONFLICT (root, path) DO UPDATE SET run = excluded.run`;
