// Reads journals from the file, and verifies each run's journal against its hash chain (J9).

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { isNewer, readEvent } from "../../journal/upcast.ts";
import { hex } from "../columns.ts";
import { payloadText } from "../hashes.ts";
import type { JournalScope, ReadOptions, Store } from "../store.ts";
import { readableEvents, readLink, readStoredEvent, verifyChain } from "../stored-event.ts";
import type { Columns, Sql, Statements } from "./sql.ts";

/** If a reader is at most this many events behind, scanning these events is faster than sorting the events of one run. */
const NEAR = 1_000;

type Reads = Pick<Store["journal"], "read" | "head" | "readAll">;

export const journalReads = (sql: Sql, statements: Statements): Reads => ({
  async read(runId, after = 0, limit = -1) {
    const run = sql.get("SELECT n, seq, hash FROM runs WHERE id = ?", runId);
    if (!run || after >= (run["seq"] as number)) return [];
    const n = run["n"] as number;
    const before =
      after === 0 ? undefined : sql.get("SELECT hash FROM events WHERE run = ? AND seq = ?", n, after);
    const found = sql.withStorageErrors(() => statements.eventsAfter.all(n, after, limit));
    verifyChain(
      runId,
      { seq: run["seq"] as number, hash: hex(run["hash"]) },
      { after, before, found, toEnd: limit < 0 || found.length < limit },
    );
    return eventsOf(statements, runId, found);
  },
  async head(runId, at) {
    const columns =
      at === undefined
        ? sql.get("SELECT seq, hash FROM runs WHERE id = ?", runId)
        : sql.get(
            "SELECT seq, hash FROM events WHERE run = (SELECT n FROM runs WHERE id = ?) AND seq = ?",
            runId,
            at,
          );
    return columns && { seq: columns["seq"] as number, hash: hex(columns["hash"]) };
  },
  readAll: async (after, limit, of) => readPage(sql, statements, { after, limit, ...of }),
});

/** Reads all journals in commit order. */
function readPage(
  sql: Sql,
  statements: Statements,
  { after, limit, ...of }: ReadOptions & { after: Position; limit: number },
): JournalEvent[] {
  const { where, values } = scopeConditions(of, "AND");
  // Near the end, scans the latest events of all runs: a live reader reads after every commit, so this must be fast.
  const join = lastPosition(sql) - after < NEAR ? "CROSS JOIN" : "JOIN";
  for (let from = after; ; ) {
    const rows = sql.all(
      `SELECT events.*, runs.id FROM events ${join} runs ON runs.n = events.run
       WHERE position > ? ${where} ORDER BY position LIMIT ?`,
      from,
      ...values,
      limit,
    );
    const events = readableEvents(
      rows,
      (columns) => eventOf(statements, columns["id"] as RunId, columns),
      of,
    );
    // A page without readable events is not always the last page: later pages can have readable events.
    if (events.length > 0 || rows.length < limit) return events;
    from = rows.at(-1)!["position"] as number;
  }
}

/** E9: reads a page up to the first event that only a newer version understands. */
export function readUnderstood(
  sql: Sql,
  statements: Statements,
  after: Position,
  limit: number,
): JournalEvent[] {
  try {
    return readPage(sql, statements, { after, limit, stopAtNewer: true });
  } catch (error) {
    if (isNewer(error)) return [];
    throw error;
  }
}

export const lastPosition = (sql: Sql): Position =>
  Number(sql.get("SELECT max(position) AS p FROM events")?.["p"] ?? 0);

export const eventsOf = (statements: Statements, runId: RunId, found: readonly Columns[]): JournalEvent[] =>
  found.map((columns) => eventOf(statements, runId, columns));

function eventOf(statements: Statements, runId: RunId, columns: Columns): JournalEvent {
  const { text, ...link } = readLink(columns);
  const find = (name: string) => statements.getBlob.get(name)?.["text"] as string | undefined;
  const position = columns["position"] as number;
  return readEvent({ runId, position, ...link, text: payloadText(text, find) });
}

export const storedEvents =
  (sql: Sql): Store["transfers"]["storedEvents"] =>
  async (root, after, limit) =>
    sql
      .all(
        `SELECT events.*, runs.id FROM runs JOIN events ON events.run = runs.n
         WHERE runs.root = ? AND position > ? ORDER BY position LIMIT ?`,
        root,
        after,
        limit,
      )
      .map(readStoredEvent);

/** The SQL conditions for the journals of a run, of a tree, or of a user. */
export function scopeConditions(
  { run, root, user }: JournalScope,
  begin: "AND" | "WHERE",
): { where: string; values: string[] } {
  const given = [
    ["runs.id = ?", run],
    ["runs.root = ?", root],
    ["runs.user_id = ?", user],
  ].filter(([, value]) => value !== undefined) as [string, string][];
  const texts = given.map(([text]) => text).join(" AND ");
  return { where: texts === "" ? "" : `${begin} ${texts}`, values: given.map(([, value]) => value) };
}
