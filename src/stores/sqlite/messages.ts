// Writes the table of messages: one row for each model call.

import type { RunId } from "../../ids.ts";
import type { Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/formats/message-rows.ts";
import type { Sql } from "./sql.ts";

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

/** REPLACE would delete the row first, together with the rows that refer to it. */
const WRITE_MESSAGE = `INSERT INTO messages (${MESSAGE_COLUMNS.join(", ")}) VALUES (${MESSAGE_COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${MESSAGE_COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;
