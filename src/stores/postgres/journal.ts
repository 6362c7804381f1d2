// Reads journals from the database, and verifies each run's journal against its hash chain (J9).

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { isNewer, readEvent } from "../../journal/upcast.ts";
import { type Columns, hex } from "../columns.ts";
import { blobNameIn, payloadText } from "../hashes.ts";
import type { ReadOptions, Store } from "../store.ts";
import { readableEvents, readLink, readStoredEvent, verifyChain } from "../stored-event.ts";
import type { Read, Sql } from "./sql.ts";

type Reads = Pick<Store["journal"], "read" | "head" | "readAll" | "position">;

export const journalReads = (read: Read): Reads => ({
  read: (runId, after = 0, limit = -1) =>
    read(async (sql) => {
      const rows = await sql.all(
        JOURNAL,
        runId,
        Math.max(after, 1),
        limit < 0 ? null : limit + (after > 0 ? 1 : 0),
      );
      const head = rows[0] && { seq: rows[0]["head_seq"] as number, hash: hex(rows[0]["head_hash"]) };
      if (!head || after >= head.seq) return [];
      const links = rows.filter((columns) => columns["seq"] !== null);
      const before = after > 0 && links[0]?.["seq"] === after ? links.shift() : undefined;
      const toEnd = limit < 0 || links.length < limit;
      verifyChain(runId, head, { after, before, found: links, toEnd });
      return eventsOf(sql, runId, links);
    }),
  head: (runId, at) =>
    read(async (sql) => {
      const columns =
        at === undefined
          ? await sql.get("SELECT seq, hash FROM runs WHERE id = $1", runId)
          : await sql.get(
              "SELECT seq, hash FROM events WHERE run = (SELECT n FROM runs WHERE id = $1) AND seq = $2",
              runId,
              at,
            );
      return columns && { seq: columns["seq"] as number, hash: hex(columns["hash"]) };
    }),
  readAll: (after, limit, of) => read((sql) => readPage(sql, after, limit, of)),
  position: () => read(async (sql) => (await sql.get("SELECT position FROM head"))!["position"] as number),
});

/** Reads the head and the events in one statement, so that both are from the same moment. */
const JOURNAL = `SELECT runs.seq AS head_seq, runs.hash AS head_hash, link.* FROM runs LEFT JOIN LATERAL (
    SELECT * FROM events WHERE events.run = runs.n AND events.seq >= $2 ORDER BY events.seq LIMIT $3
  ) AS link ON TRUE WHERE runs.id = $1 ORDER BY link.seq`;

/** Reads all journals in commit order. */
export async function readPage(
  sql: Sql,
  after: Position,
  limit: number,
  { run, root, user, ...upTo }: ReadOptions = {},
): Promise<JournalEvent[]> {
  const narrowest: [sql: string, value: string | undefined][] = [
    [ONE_RUN, run],
    ["AND runs.root = $3", root],
    ["AND runs.user_id = $3", user],
  ];
  const [condition = "", value] = narrowest.find(([, given]) => given !== undefined) ?? [];
  const values = value === undefined ? [] : [value];
  for (let from = after; ; ) {
    const rows = await sql.all(
      `SELECT events.*, runs.id FROM events JOIN runs ON runs.n = events.run
       WHERE position > $1 ${condition} ORDER BY position LIMIT $2`,
      from,
      limit,
      ...values,
    );
    const events = await pageOf(sql, rows, upTo);
    // A page without readable events is not always the last page: later pages can have readable events.
    if (events.length > 0 || rows.length < limit) return events;
    from = rows.at(-1)!["position"] as number;
  }
}

/** Starts at the last event before the position. Live readers run this query after every commit, so it must be fast in a long journal. */
const ONE_RUN = `AND runs.id = $3 AND events.seq > coalesce((
  SELECT seq FROM events AS seen WHERE seen.run = (SELECT n FROM runs WHERE id = $3) AND seen.position <= $1
  ORDER BY seq DESC LIMIT 1), 0)`;

/** E9: reads a page up to the first event that only a newer version understands. */
export async function readUnderstood(sql: Sql, after: Position, limit: number): Promise<JournalEvent[]> {
  try {
    return await readPage(sql, after, limit, { stopAtNewer: true });
  } catch (error) {
    if (isNewer(error)) return [];
    throw error;
  }
}

export async function eventsOf(sql: Sql, runId: RunId, found: readonly Columns[]): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return found.map((columns) => eventOf(runId, columns, blobs));
}

async function pageOf(sql: Sql, found: readonly Columns[], of: ReadOptions): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return readableEvents(found, (columns) => eventOf(columns["id"] as RunId, columns, blobs), of);
}

async function blobsFor(sql: Sql, found: readonly Columns[]): Promise<Map<string, string>> {
  const names = found.flatMap((columns) => blobNameIn(columns["payload"] as string) ?? []);
  if (names.length === 0) return new Map();
  const blobs = await sql.all("SELECT hash, text FROM blobs WHERE hash = ANY($1)", names);
  return new Map(blobs.map(({ hash, text }) => [hash as string, (text as Buffer).toString("utf8")]));
}

function eventOf(runId: RunId, columns: Columns, blobs: ReadonlyMap<string, string>): JournalEvent {
  const { text, ...link } = readLink(columns);
  return readEvent({
    runId,
    position: columns["position"] as number,
    ...link,
    text: payloadText(text, (name) => blobs.get(name)),
  });
}

export const storedEvents =
  (read: Read): Store["transfers"]["storedEvents"] =>
  (root, after, limit) =>
    read(async (sql) => {
      const found = await sql.all(
        `SELECT events.*, runs.id FROM runs JOIN events ON events.run = runs.n
         WHERE runs.root = $1 AND position > $2 ORDER BY position LIMIT $3`,
        root,
        after,
        limit,
      );
      return found.map(readStoredEvent);
    });
