// The table of messages: one row for each model call.

import type { RunId } from "../../ids.ts";
import type { Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/formats/message-rows.ts";
import type { MessageFilter } from "../store.ts";
import { manyRows, type Sql, type Value } from "./sql.ts";

const DEFAULT_PAGE = 50;

export async function listMessages(sql: Sql, filter: MessageFilter) {
  const { session, parent, run, role, user, cursor, limit = DEFAULT_PAGE } = filter;
  const given: [name: string, value: Value | undefined][] = [
    ["session_id =", session],
    ["parent_message_id =", parent],
    ["run =", run],
    ["agent_role =", role],
    ["(SELECT user_id FROM runs WHERE runs.id = messages.run) =", user],
    ["id >", cursor === undefined ? undefined : Number(cursor)],
  ];
  const conditions = given.filter(([, value]) => value !== undefined);
  const texts = conditions.map(([text], index) => `${text} $${index + 1}`);
  // The messages of a run that is being pruned are not listed any more.
  texts.push("EXISTS (SELECT 1 FROM runs WHERE runs.id = messages.run)");
  const found = await sql.all(
    `SELECT ${MESSAGE_COLUMNS.join(", ")} FROM messages WHERE ${texts.join(" AND ")}
     ORDER BY id LIMIT $${conditions.length + 1}`,
    ...conditions.map(([, value]) => value!),
    limit + 1,
  );
  const messages = found.slice(0, limit) as unknown as MessageRow[];
  const last = found.length > limit ? messages.at(-1) : undefined;
  return { messages, nextCursor: last && String(last.id) };
}

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
