// The table of messages. No append writes to it: whoever asks for messages first lets it catch up with the journals, page
// by page, each page one transaction with the place that it leads to.

import type { RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { applyMessages, type Messages, type Recording } from "../../projections/formats/message-rows.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../../projections/message-row.ts";
import type { MessageFilter } from "../store.ts";
import { manyRows, type Sql, type Value } from "./sql.ts";

const DEFAULT_PAGE = 50;

export async function recordEvents(sql: Sql, events: readonly JournalEvent[]): Promise<void> {
  const messages: Messages = { rows: new Map(), runs: await recordingsFor(sql, events) };
  for (const event of events) applyMessages(messages, event);
  const rows = Array.from(messages.rows.values(), (row) => ({ ...row, run: runOf(row) }));
  if (rows.length > 0) await sql.run(UPSERT, manyRows(rows));
  await keepRecordings(sql, new Set(events.map((event) => event.runId)), messages.runs);
}

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
  // Those of a run that is being pruned are gone already.
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

/** Of the runs on the page, and of those that started them. */
async function recordingsFor(sql: Sql, events: readonly JournalEvent[]): Promise<Map<RunId, Recording>> {
  const ids = new Set(
    events.flatMap((event) => {
      const parent = event.type === "RUN_STARTED" ? event.payload.parentRunId : undefined;
      return parent === undefined ? [event.runId] : [event.runId, parent];
    }),
  );
  const kept = await sql.all("SELECT run, recording FROM recordings WHERE run = ANY($1)", [...ids]);
  return new Map(
    kept.map(({ run, recording }) => [run as RunId, JSON.parse(recording as string) as Recording]),
  );
}

async function keepRecordings(
  sql: Sql,
  runIds: ReadonlySet<RunId>,
  recordings: ReadonlyMap<RunId, Recording>,
): Promise<void> {
  await sql.run("DELETE FROM recordings WHERE run = ANY($1)", [...runIds]);
  const kept = [...runIds].flatMap((run) => {
    const recording = recordings.get(run);
    return recording ? [{ run, recording: JSON.stringify(recording) }] : [];
  });
  if (kept.length > 0) await sql.run(KEEP, manyRows(kept));
}

const runOf = ({ metadata_json }: MessageRow): RunId =>
  (JSON.parse(metadata_json) as { run_id: RunId }).run_id;

const KEEP = "INSERT INTO recordings SELECT * FROM json_populate_recordset(NULL::recordings, $1::json)";

const UPSERT = `INSERT INTO messages SELECT * FROM json_populate_recordset(NULL::messages, $1::json)
  ON CONFLICT (id) DO UPDATE SET ${MESSAGE_COLUMNS.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;
