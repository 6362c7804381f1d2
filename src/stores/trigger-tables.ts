// The states and entries of schedules and inbound hooks in the tables of a store. The SQL is the same on both stores.

import type { RunId } from "../ids.ts";
import type { Columns } from "./columns.ts";
import type { TableAccess } from "./common-queries.ts";
import { ask } from "./transaction/transaction.ts";
import type { TriggerEntry, TriggerState, Triggers } from "./triggers.ts";

/** Number of settled entries that are kept for each trigger. A repeated delivery is recognised among these. */
const MAX_SETTLED = 1_000;

export const createTriggers = ({ read, write }: TableAccess): Triggers => ({
  begin: (name, at) =>
    write(function* (sql) {
      yield* ask(sql.run(BEGIN, name, at));
      return readState((yield* ask(sql.get("SELECT * FROM triggers WHERE name = $1", name)))!);
    }),
  states: () =>
    read(function* (sql) {
      return (yield* ask(sql.all("SELECT * FROM triggers ORDER BY name"))).map(readState);
    }),
  advance: (name, from, to) =>
    write(function* (sql) {
      return (yield* ask(sql.run(ADVANCE, name, from, to))) > 0;
    }),
  pause: (name, by) =>
    write(function* (sql, { now }) {
      return (yield* ask(sql.run(PAUSE, name, by === undefined ? null : now, by ?? null))) > 0;
    }),
  claim: (entry) =>
    write(function* (sql) {
      const { trigger, id, at, startAt, outcome, runId = null, detail, payload } = entry;
      const isNew =
        (yield* ask(sql.run(CLAIM, trigger, id, at, startAt, outcome, runId, detail, payload))) > 0;
      if (isNew) yield* ask(sql.run(DELETE_OLD, trigger, MAX_SETTLED));
      return { entry: readEntry((yield* ask(sql.get(ENTRY, trigger, id)))!), existed: !isNew };
    }),
  settle: (trigger, id, { outcome, detail, runId }) =>
    write(function* (sql) {
      return (yield* ask(sql.run(SETTLE, trigger, id, outcome, detail, runId ?? null))) > 0;
    }),
  reopen: (trigger, id, payload) =>
    write(function* (sql) {
      return (yield* ask(sql.run(REOPEN, trigger, id, payload))) > 0;
    }),
  entry: (trigger, id) =>
    read(function* (sql) {
      const columns = yield* ask(sql.get(ENTRY, trigger, id));
      return columns && readEntry(columns);
    }),
  pending: (trigger, now, limit) =>
    read(function* (sql) {
      return (yield* ask(sql.all(PENDING, trigger, now, limit))).map(readEntry);
    }),
  entries: (trigger, limit) =>
    read(function* (sql) {
      return (yield* ask(sql.all(LATEST, trigger, limit))).map(readEntry);
    }),
  countSince: (trigger, since) =>
    read(function* (sql) {
      return (yield* ask(sql.get(COUNT, trigger, since)))!["count"] as number;
    }),
});

const readState = (columns: Columns): TriggerState => ({
  name: columns["name"] as string,
  reached: columns["reached"] as number,
  pausedAt: (columns["paused_at"] ?? undefined) as number | undefined,
  pausedBy: (columns["paused_by"] ?? undefined) as string | undefined,
});

const readEntry = (columns: Columns): TriggerEntry => ({
  trigger: columns["name"] as string,
  id: columns["id"] as string,
  at: columns["at"] as number,
  startAt: columns["start_at"] as number,
  outcome: columns["outcome"] as TriggerEntry["outcome"],
  runId: (columns["run"] ?? undefined) as RunId | undefined,
  detail: columns["detail"] as string,
  payload: columns["payload"] as string,
});

const BEGIN = "INSERT INTO triggers (name, reached) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const ADVANCE = "UPDATE triggers SET reached = $3 WHERE name = $1 AND reached = $2";
const PAUSE = "UPDATE triggers SET paused_at = $2, paused_by = $3 WHERE name = $1";
const CLAIM = `INSERT INTO trigger_entries (name, id, at, start_at, outcome, run, detail, payload)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`;
const DELETE_OLD = `DELETE FROM trigger_entries WHERE name = $1 AND outcome <> 'pending' AND id NOT IN (
  SELECT id FROM trigger_entries WHERE name = $1 AND outcome <> 'pending' ORDER BY at DESC, id DESC LIMIT $2)`;
const ENTRY = "SELECT * FROM trigger_entries WHERE name = $1 AND id = $2";
const SETTLE = `UPDATE trigger_entries SET outcome = $3, detail = $4, run = $5
  WHERE name = $1 AND id = $2 AND outcome = 'pending'`;
const REOPEN = `UPDATE trigger_entries SET outcome = 'pending', detail = '', payload = $3
  WHERE name = $1 AND id = $2 AND outcome = 'failed'`;
const PENDING = `SELECT * FROM trigger_entries WHERE name = $1 AND outcome = 'pending' AND start_at <= $2
  ORDER BY at, id LIMIT $3`;
const LATEST = "SELECT * FROM trigger_entries WHERE name = $1 ORDER BY at DESC, id DESC LIMIT $2";
const COUNT = "SELECT count(*) AS count FROM trigger_entries WHERE name = $1 AND at >= $2";
