// Writes the table of messages: one row for each model call.

import type { RunId } from "../../ids.ts";
import type { Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/formats/message-rows.ts";
import { manyRows, type Sql } from "./sql.ts";

export async function readRecordings(sql: Sql, runIds: readonly RunId[]): Promise<Map<RunId, Recording>> {
  const kept = await sql.all("SELECT run, recording FROM recordings WHERE run = ANY($1)", runIds);
  return new Map(
    kept.map(({ run, recording }) => [run as RunId, JSON.parse(recording as string) as Recording]),
  );
}

export async function writeRecordings(
  sql: Sql,
  runIds: readonly RunId[],
  recordings: ReadonlyMap<RunId, Recording>,
): Promise<void> {
  await sql.run("DELETE FROM recordings WHERE run = ANY($1)", runIds);
  const kept = runIds.flatMap((run) => {
    const recording = recordings.get(run);
    return recording ? [{ run, recording: JSON.stringify(recording) }] : [];
  });
  if (kept.length > 0) await sql.run(KEEP, manyRows(kept));
}

export async function writeMessages(sql: Sql, messages: readonly MessageRow[]): Promise<void> {
  const rows = messages.map((row) => ({ ...row, run: runOf(row) }));
  if (rows.length > 0) await sql.run(UPSERT, manyRows(rows));
}

const runOf = ({ metadata_json }: MessageRow): RunId =>
  (JSON.parse(metadata_json) as { run_id: RunId }).run_id;

const KEEP = "INSERT INTO recordings SELECT * FROM json_populate_recordset(NULL::recordings, $1::json)";

const UPSERT = `INSERT INTO messages SELECT * FROM json_populate_recordset(NULL::messages, $1::json)
  ON CONFLICT (id) DO UPDATE SET ${MESSAGE_COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;
