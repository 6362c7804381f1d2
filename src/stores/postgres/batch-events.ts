// The events that a batch writes: seq, position and hash are given as they come, the rows go out together. Whoever asks
// the table for events of this batch has them written first.

import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { digest } from "../blobs.ts";
import type { Columns, RunRecord } from "../run-record.ts";
import {
  applyEvent,
  MAX_INLINE_PAYLOAD,
  neededBlobs,
  nextEvent,
  type StoredText,
} from "../transaction/append-rules.ts";
import { RowsAtHand, type RowsParts } from "./batch-rows.ts";
import { eventsOf } from "./read-events.ts";
import { hexText, type Write, writeTogether } from "./sql.ts";

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
  protected async place(held: RunRecord, body: EventBody): Promise<JournalEvent> {
    const text = await this.textOf(body.payload);
    const at = { position: this.position + 1, ts: this.now };
    const { event, hash } = nextEvent(held, body, { ...at, text });
    await this.placeAs(held, event, { text, hash });
    return event;
  }

  /** An event in its journal and in its row, at the next position. */
  async placeAs(held: RunRecord, event: JournalEvent, stored: StoredText): Promise<void> {
    const { text, hash } = stored;
    const { seq, position, ts, type, key } = event;
    (await this.keysOf(held)).set(key, seq);
    this.pending.push({ position, run: held.n, seq, ts, type, key, payload: text, hash: hexText(hash) });
    this.position = position;
    applyEvent(held, event, stored);
    this.written.push(event);
    for (const blob of neededBlobs(event, text)) {
      this.refs.push({ run: held.n, hash: blob });
      this.needed.add(blob);
    }
    this.characters += text.length;
    if (this.characters > MAX_PENDING) await this.writeEvents();
  }

  async eventBySeq({ n }: RunRecord, seq: number): Promise<Columns | undefined> {
    await this.writeEvents();
    return this.sql.get("SELECT type, payload FROM events WHERE run = $1 AND seq = $2", n, seq);
  }

  async journalAfter(held: RunRecord, after: number): Promise<JournalEvent[]> {
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

  /** All that is left to write, and the head. */
  async finish(): Promise<void> {
    const writes = [...this.takeRows(), this.takeEvents(), { text: ADD_REFS, rows: this.refs }];
    await writeTogether(this.sql, writes, { text: MOVE_HEAD, values: [this.position, this.runs] });
  }

  protected async textOf(payload: unknown): Promise<string> {
    const text = JSON.stringify(payload);
    if (text.length <= MAX_INLINE_PAYLOAD) return text;
    const hash = digest(text);
    await this.putBlob(hash, text);
    return JSON.stringify({ $blob: hash });
  }

  async putBlob(name: string, stored: string): Promise<void> {
    await this.sql.run(PUT_BLOB, name, Buffer.from(stored));
  }

  private async writeEvents(): Promise<void> {
    await writeTogether(this.sql, [this.takeEvents()]);
  }

  private takeEvents(): Write {
    const { pending } = this;
    this.pending = [];
    this.characters = 0;
    return { text: ADD_EVENTS, rows: pending };
  }
}

const PUT_BLOB = "INSERT INTO blobs (hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const ADD_EVENTS = "INSERT INTO events SELECT * FROM json_populate_recordset(NULL::events, $rows)";

const ADD_REFS =
  "INSERT INTO refs SELECT * FROM json_populate_recordset(NULL::refs, $rows) ON CONFLICT DO NOTHING";

const MOVE_HEAD = "UPDATE head SET position = $1, runs = $2, commits = commits + 1";
