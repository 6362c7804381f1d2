// The events that a batch writes: seq, position and hash are given as they come, the rows go out together. Whoever asks
// the table for events of this batch has them written first.

import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { chainHash } from "../../journal/hash.ts";
import { keyOf } from "../../journal/keys.ts";
import { applyRunRow } from "../../projections/run-row.ts";
import { digest } from "../blobs.ts";
import type { Columns, Held } from "../held.ts";
import { account, blobsOf, EVENT_BYTES, remember } from "../rules.ts";
import { eventsOf } from "./events.ts";
import { insertEvents } from "./rows.ts";
import { RowsAtHand, type RowsParts } from "./rows-at-hand.ts";
import { hexText, manyRows } from "./sql.ts";

/** Characters of payloads that wait to be written: more would be one statement too large. */
const MAX_PENDING = 8_000_000;

export class EventRows extends RowsAtHand {
  readonly written: JournalEvent[] = [];
  /** Blobs that are needed from now on. */
  readonly needed = new Set<string>();
  position: number;
  private pending: Columns[] = [];
  private characters = 0;
  private refs: Columns[] = [];

  constructor(parts: RowsParts & { position: number }) {
    super(parts);
    this.position = parts.position;
  }

  /** The next event of a run, in its journal and in its row. */
  protected async place(held: Held, body: EventBody): Promise<JournalEvent> {
    const seq = held.row.seq + 1;
    const ts = this.now;
    const { type, payload } = body;
    const key = keyOf(body);
    const text = await this.textOf(payload);
    const hash = chainHash(digest, held.hash, { seq, ts, type, key, text });
    const position = this.position + 1;
    const event = { runId: held.row.id, seq, position, ts, type, key, payload } as JournalEvent;
    await this.placeAs(held, event, { text, hash });
    return event;
  }

  /** An event in its journal and in its row, at the next position. */
  async placeAs(held: Held, event: JournalEvent, { text, hash }: { text: string; hash: string }) {
    const { seq, position, ts, type, key } = event;
    (await this.keysOf(held)).set(key, seq);
    this.pending.push({ position, run: held.n, seq, ts, type, key, payload: text, hash: hexText(hash) });
    this.position = position;
    held.hash = hash;
    applyRunRow(held.row, event);
    account(held, event);
    remember(held, event);
    this.written.push(event);
    for (const blob of blobsOf(event, text)) {
      this.refs.push({ run: held.n, hash: blob });
      this.needed.add(blob);
    }
    held.characters += text.length;
    this.characters += text.length;
    if (this.characters > MAX_PENDING) await this.writeEvents();
  }

  async eventBySeq({ n }: Held, seq: number): Promise<Columns | undefined> {
    await this.writeEvents();
    return this.sql.get("SELECT type, payload FROM events WHERE run = $1 AND seq = $2", n, seq);
  }

  async journalAfter(held: Held, after: number): Promise<JournalEvent[]> {
    if (held.row.seq <= after) return [];
    const first = held.recent[0];
    if (first && first.seq <= after + 1) return held.recent.slice(after + 1 - first.seq);
    await this.writeEvents();
    const found = await this.sql.all(
      "SELECT * FROM events WHERE run = $1 AND seq > $2 ORDER BY seq",
      held.n,
      after,
    );
    return eventsOf(this.sql, held.row.id, found);
  }

  /** Everything but the head, which is written with the commit. */
  async finish(): Promise<void> {
    await this.writeRows();
    await this.writeEvents();
    if (this.refs.length > 0) await this.sql.run(ADD_REFS, manyRows(this.refs));
  }

  protected async textOf(payload: unknown): Promise<string> {
    const text = JSON.stringify(payload);
    if (text.length <= EVENT_BYTES) return text;
    const hash = digest(text);
    await this.sql.run(PUT_BLOB, hash, Buffer.from(text));
    return JSON.stringify({ $blob: hash });
  }

  private async writeEvents(): Promise<void> {
    const { pending } = this;
    this.pending = [];
    this.characters = 0;
    await insertEvents(this.sql, pending);
  }
}

export const PUT_BLOB = "INSERT INTO blobs (hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const ADD_REFS =
  "INSERT INTO refs SELECT * FROM json_populate_recordset(NULL::refs, $1::json) ON CONFLICT DO NOTHING";
