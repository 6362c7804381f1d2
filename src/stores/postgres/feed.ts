// Tells the listeners of this process about commits of this process and of other processes.
// A notification only says that there is something new. The events are read from the journals, so no event is lost with a notification.
//  1  Listeners get every event of every process once, in the order of positions and without a gap.
//  2  A notification names the process that committed. A process ignores its own notifications, because it knows what it wrote.
//  3  One connection listens for notifications. It is opened for the first listener. After a reconnect, the feed reads what it missed.
//     The feed also retries a failed read. Otherwise listeners might wait for a notification that never comes.

import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { messageOf } from "../../errors.ts";
import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { CommonSql } from "../common-queries.ts";
import { DUE_ON_ARRIVAL } from "../run-record.ts";
import type { CommitListener } from "../store.ts";
import { readPage } from "./journal.ts";
import type { Database } from "./open.ts";
import { Sql } from "./sql.ts";

const PAGE = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How often the listening connection is checked, because it can die silently. */
const PULSE_MS = 15_000;
const ANSWER_MS = 5_000;
export const DUE_OF = `SELECT id FROM runs WHERE id = ANY($1) AND due_at <= ${DUE_ON_ARRIVAL}`;
/** Payload of the notification that is sent when the list of users has changed. */
const USERS = "users";

export interface FeedParts {
  database: Database;
  schema: string;
  position: Position;
  /** The id of this process. */
  self: string;
}

export class Feed {
  /** Name of the channel, as a quoted identifier. It contains the schema, because all stores in a database share its channels. */
  private readonly channel: string;
  private readonly database: Database;
  private readonly self: string;
  private readonly sql: Sql;
  private readonly listeners = new Set<CommitListener>();
  private readonly userListeners = new Set<() => void>();
  private readonly closing = new AbortController();
  /** The end of the journals as this process last saw it, and the last position that was announced to listeners. */
  private known: Position;
  private announced: Position | undefined;
  private listenLoop: Promise<void> | undefined;
  private client: Client | undefined;
  private readLoop: Promise<void> | undefined;
  private mustReadAgain = false;

  constructor({ database, schema, position, self }: FeedParts) {
    this.known = position;
    this.database = database;
    this.self = self;
    this.sql = new Sql(database.pool);
    this.channel = `"cadre ${schema.replaceAll('"', '""')}"`;
  }

  add(listener: CommitListener): () => void {
    this.listeners.add(listener);
    this.listenLoop ??= this.keepListening();
    return () => this.listeners.delete(listener);
  }

  /** Called when another process has changed the users, and after a reconnect, because a notification might have been missed. */
  onUsers(listener: () => void): () => void {
    this.userListeners.add(listener);
    this.listenLoop ??= this.keepListening();
    return () => this.userListeners.delete(listener);
  }

  /** The statement that notifies other processes. It is part of this process's commit. */
  get notice(): string {
    return `NOTIFY ${this.channel}, '${this.self}'`;
  }

  /** Announces that the list of users has changed. Must be called in the transaction that makes the change. */
  async announceUsers(sql: CommonSql): Promise<void> {
    await sql.run(`NOTIFY ${this.channel}, '${USERS}'`);
  }

  /** Announces a commit of this process. Events that other processes wrote before this commit are announced first. */
  committed(position: Position, written: readonly JournalEvent[], woken: readonly RunId[]): void {
    const first = written[0]?.position;
    if (this.listeners.size > 0 && first !== undefined) this.begin(first - 1);
    this.known = position;
    if (this.listeners.size === 0) return;
    const isNext = first !== undefined && first === this.announced! + 1;
    if (isNext) this.announced = position;
    if (isNext || woken.length > 0) this.announce(isNext ? written : [], woken);
    if (first !== undefined && !isNext) void this.catchUp();
  }

  /** Called when the outcome of a commit of this process is unknown. No other process would announce its events, so the feed looks for them. */
  readAgain(): void {
    if (this.listeners.size > 0) void this.catchUp();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.listeners.clear();
    this.userListeners.clear();
    await this.client?.end().catch(() => {});
    await this.listenLoop;
    await this.readLoop;
  }

  /** Keeps a connection listening for as long as the store is open. */
  private async keepListening(): Promise<void> {
    const { signal } = this.closing;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      const listening = await this.listen().catch(() => undefined);
      if (listening) this.notifyUsers();
      await this.catchUp();
      if (listening) {
        wait = FIRST_PAUSE_MS;
        await listening.lost;
      } else await pause(wait, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Opens a listening connection. `lost` resolves when the connection no longer listens. */
  private async listen(): Promise<{ lost: Promise<void> }> {
    const client = this.database.client();
    const lost = Promise.withResolvers<void>();
    client.on("error", () => lost.resolve());
    client.on("end", () => lost.resolve());
    client.on("notification", ({ payload }) => {
      if (payload === USERS) this.notifyUsers();
      else if (payload !== this.self) void this.catchUp();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${this.channel}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    this.client = client;
    if (this.closing.signal.aborted) void client.end().catch(() => {});
    const pulse = setInterval(() => {
      const silent = setTimeout(() => lost.resolve(), ANSWER_MS).unref();
      client.query("SELECT 1").then(
        () => clearTimeout(silent),
        () => lost.resolve(),
      );
    }, PULSE_MS).unref();
    return { lost: lost.promise.finally(() => this.drop(client, pulse)) };
  }

  private notifyUsers(): void {
    for (const listener of this.userListeners) listener();
  }

  private drop(client: Client, pulse: NodeJS.Timeout): void {
    clearInterval(pulse);
    this.client = undefined;
    void client.end().catch(() => {});
  }

  /** Reads and announces new events. Only one read runs at a time. A request during a read causes one more read. */
  private catchUp(): Promise<void> {
    this.mustReadAgain = true;
    this.readLoop ??= this.keepLooking();
    return this.readLoop;
  }

  /** Retries a failed read. Otherwise the events would stay unread until the next notification. */
  private async keepLooking(): Promise<void> {
    const { signal } = this.closing;
    for (let wait = FIRST_PAUSE_MS; this.mustReadAgain && !signal.aborted; ) {
      this.mustReadAgain = false;
      try {
        await this.readOn();
        wait = FIRST_PAUSE_MS;
      } catch {
        this.mustReadAgain = true;
        await pause(wait, undefined, { signal, ref: false }).catch(() => {});
        wait = Math.min(2 * wait, LONGEST_PAUSE_MS);
      }
    }
    // No await is allowed between the check of `mustReadAgain` and this line. Otherwise a request in between would not start a new loop.
    this.readLoop = undefined;
  }

  private async readOn(): Promise<void> {
    const head = this.announced ?? (await this.sql.get("SELECT position FROM head"))!["position"];
    this.begin(head as Position);
    while (this.listeners.size > 0) {
      const page = await readPage(this.sql, this.announced!, PAGE);
      if (page.length === 0) return;
      const due = await this.dueOf(page);
      const news = page.filter(({ position }) => position > this.announced!);
      this.announced = Math.max(this.announced!, page.at(-1)!.position);
      if (news.length > 0) this.announce(news, due, "elsewhere");
    }
  }

  /** Announces all events from now on. If listeners have missed events since they were added, the feed asks them to look again. */
  private begin(position: Position): void {
    if (this.announced !== undefined) return;
    this.announced = position;
    if (position > this.known) this.announce([], [], "elsewhere");
  }

  /** The runs of these events that are due. */
  private async dueOf(events: readonly JournalEvent[]): Promise<RunId[]> {
    const ids = new Set(events.map(({ runId }) => runId));
    const found = await this.sql.all(DUE_OF, [...ids]);
    return found.map(({ id }) => id as RunId);
  }

  /** P9: if a listener throws, the commit must not look failed, because it is already stored. */
  private announce(events: readonly JournalEvent[], woken: readonly RunId[], from?: "elsewhere"): void {
    for (const listener of this.listeners) {
      try {
        listener(events, woken, from);
      } catch (error) {
        process.emitWarning(`A listener of the store failed: ${messageOf(error)}`);
      }
    }
  }
}
