// The table of messages. No append writes to it: whoever asks for messages first lets it catch up with the journals, page
// by page, each page one transaction with the place that it leads to.

import type { SQLInputValue } from "node:sqlite";
import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { applyMessages, type Messages, type Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/message-row.ts";
import type { MessageFilter } from "../store.ts";
import { getMeta, type Sql, setMeta } from "./sql.ts";

const PAGE_EVENTS = 500;
const DEFAULT_PAGE = 50;

/** Where the table stands. */
export const recordedUpTo = (sql: Sql): Position => Number(getMeta(sql, "messages") ?? 0);

/** Takes in the next page; false: there was none. */
export function recordPage(sql: Sql, read: (after: Position, limit: number) => JournalEvent[]): boolean {
  const events = read(recordedUpTo(sql), PAGE_EVENTS);
  const last = events.at(-1);
  if (!last) return false;
  const messages: Messages = { rows: new Map(), runs: recordingsFor(sql, events) };
  for (const event of events) applyMessages(messages, event);
  for (const row of messages.rows.values()) writeMessage(sql, row);
  for (const runId of new Set(events.map((event) => event.runId)))
    keepRecording(sql, runId, messages.runs.get(runId));
  setMeta(sql, "messages", String(last.position));
  return true;
}

export function listMessages(sql: Sql, filter: MessageFilter) {
  const { session, parent, run, role, user, cursor, limit = DEFAULT_PAGE } = filter;
  const conditions: [sql: string, value: SQLInputValue | undefined][] = [
    ["session_id = ?", session],
    ["parent_message_id = ?", parent],
    ["metadata_json ->> '$.run_id' = ?", run],
    ["agent_role = ?", role],
    ["metadata_json ->> '$.run_id' IN (SELECT id FROM runs WHERE user_id = ?)", user],
    ["id > ?", cursor === undefined ? undefined : Number(cursor)],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  // Those of a run that is being pruned are gone already.
  const where = [...given.map(([text]) => text), "metadata_json ->> '$.run_id' IN (SELECT id FROM runs)"];
  const found = sql.all(
    `SELECT * FROM messages WHERE ${where.join(" AND ")} ORDER BY id LIMIT ?`,
    ...given.map(([, value]) => value!),
    limit + 1,
  );
  const messages = found.slice(0, limit).map((columns) => ({ ...columns }) as unknown as MessageRow);
  const last = found.length > limit ? messages.at(-1) : undefined;
  return { messages, nextCursor: last && String(last.id) };
}

/** Of the runs on the page, and of those that started them. */
function recordingsFor(sql: Sql, events: readonly JournalEvent[]): Map<RunId, Recording> {
  const ids = new Set(
    events.flatMap((event) => {
      const parent = event.type === "RUN_STARTED" ? event.payload.parentRunId : undefined;
      return parent === undefined ? [event.runId] : [event.runId, parent];
    }),
  );
  const runs = new Map<RunId, Recording>();
  for (const id of ids) {
    const kept = sql.get("SELECT recording FROM recordings WHERE run = ?", id);
    if (kept) runs.set(id, JSON.parse(kept["recording"] as string) as Recording);
  }
  return runs;
}

function keepRecording(sql: Sql, runId: RunId, recording: Recording | undefined): void {
  if (!recording) {
    sql.run("DELETE FROM recordings WHERE run = ?", runId);
    return;
  }
  sql.run(
    "INSERT INTO recordings (run, recording) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET recording = excluded.recording",
    runId,
    JSON.stringify(recording),
  );
}

function writeMessage(sql: Sql, row: MessageRow): void {
  sql.run(UPSERT, ...MESSAGE_COLUMNS.map((name) => row[name]));
}

/** Not by REPLACE: that deletes the row first, and what refers to it with it. */
const UPSERT = `INSERT INTO messages (${MESSAGE_COLUMNS.join(", ")}) VALUES (${MESSAGE_COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${MESSAGE_COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;
