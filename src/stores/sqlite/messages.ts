// The table of messages: one row for each model call.

import type { SQLInputValue } from "node:sqlite";
import type { RunId } from "../../ids.ts";
import type { Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/formats/message-rows.ts";
import type { MessageFilter } from "../store.ts";
import type { Sql } from "./sql.ts";

const DEFAULT_PAGE = 50;

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
  // The messages of a run that is being pruned are not listed any more.
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

export function readRecordings(sql: Sql, runIds: readonly RunId[]): Map<RunId, Recording> {
  const recordings = new Map<RunId, Recording>();
  for (const runId of runIds) {
    const kept = sql.get("SELECT recording FROM recordings WHERE run = ?", runId);
    if (kept) recordings.set(runId, JSON.parse(kept["recording"] as string) as Recording);
  }
  return recordings;
}

export function writeRecording(sql: Sql, runId: RunId, recording: Recording | undefined): void {
  if (recording) sql.run(WRITE_RECORDING, runId, JSON.stringify(recording));
  else sql.run("DELETE FROM recordings WHERE run = ?", runId);
}

export function writeMessage(sql: Sql, row: MessageRow): void {
  sql.run(WRITE_MESSAGE, ...MESSAGE_COLUMNS.map((name) => row[name]));
}

const WRITE_RECORDING = `INSERT INTO recordings (run, recording) VALUES (?, ?)
  ON CONFLICT (run) DO UPDATE SET recording = excluded.recording`;

/** Not by REPLACE: that deletes the row first, and with it the rows that refer to it. */
const WRITE_MESSAGE = `INSERT INTO messages (${MESSAGE_COLUMNS.join(", ")}) VALUES (${MESSAGE_COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${MESSAGE_COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;
