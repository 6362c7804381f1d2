// The cursors and deliveries of webhooks in the tables of a store. The SQL is the same on both stores.

import type { Columns } from "./columns.ts";
import type { TableAccess } from "./common-queries.ts";
import type { Delivery, Outbox, WebhookCursor } from "./outbox.ts";
import { ask } from "./transaction/transaction.ts";

/** Number of deliveries that are kept for each webhook. */
const MAX_DELIVERIES = 100;

export const createOutbox = ({ read, write }: TableAccess): Outbox => ({
  acquire: (webhook, holder, forMs) =>
    write(function* (sql, { now, position }) {
      yield* ask(sql.run(BEGIN, webhook, position));
      const taken = yield* ask(sql.get(TAKE, webhook, holder, now + forMs, now));
      return taken && readCursor(taken);
    }),
  release: (holder) =>
    write(function* (sql) {
      yield* ask(sql.run("UPDATE webhooks SET holder = NULL, held_until = 0 WHERE holder = $1", holder));
    }),
  advance: (webhook, position) =>
    write(function* (sql) {
      yield* ask(sql.run(ADVANCE, webhook, position));
    }),
  record: (delivery, retryAt) =>
    write(function* (sql) {
      const { webhook, id, event, runId, position, at, attempts, outcome, detail } = delivery;
      yield* ask(sql.run(RECORD, webhook, id, event, runId, position, at, attempts, outcome, detail));
      yield* ask(sql.run(DELETE_OLD, webhook, MAX_DELIVERIES));
      if (retryAt === undefined) yield* ask(sql.run(ADVANCE, webhook, position));
      else yield* ask(sql.run(RETRY, webhook, attempts, retryAt));
    }),
  cursors: () =>
    read(function* (sql) {
      const rows = yield* ask(sql.all("SELECT * FROM webhooks ORDER BY webhook"));
      return rows.map((columns) => ({ webhook: columns["webhook"] as string, ...readCursor(columns) }));
    }),
  deliveries: (webhook, limit) =>
    read(function* (sql) {
      return (yield* ask(sql.all(LATEST, webhook, limit))).map(readDelivery);
    }),
});

const readDelivery = (columns: Columns): Delivery => ({
  webhook: columns["webhook"] as string,
  id: columns["id"] as string,
  event: columns["event"] as string,
  runId: columns["run"] as string,
  position: columns["position"] as number,
  at: columns["at"] as number,
  attempts: columns["attempts"] as number,
  outcome: columns["outcome"] as Delivery["outcome"],
  detail: columns["detail"] as string,
});

const readCursor = (columns: Columns): WebhookCursor => ({
  position: columns["position"] as number,
  attempts: columns["attempts"] as number,
  retryAt: (columns["retry_at"] ?? undefined) as number | undefined,
});

const BEGIN = "INSERT INTO webhooks (webhook, position) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const TAKE = `UPDATE webhooks SET holder = $2, held_until = $3
  WHERE webhook = $1 AND (holder IS NULL OR holder = $2 OR held_until <= $4) RETURNING *`;
const ADVANCE = "UPDATE webhooks SET position = $2, attempts = 0, retry_at = NULL WHERE webhook = $1";
const RETRY = "UPDATE webhooks SET attempts = $2, retry_at = $3 WHERE webhook = $1";
const RECORD = `INSERT INTO deliveries (webhook, id, event, run, position, at, attempts, outcome, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (webhook, id) DO UPDATE SET
  at = excluded.at, attempts = excluded.attempts, outcome = excluded.outcome, detail = excluded.detail`;
const DELETE_OLD = `DELETE FROM deliveries WHERE webhook = $1 AND position NOT IN (
  SELECT position FROM deliveries WHERE webhook = $1 ORDER BY position DESC LIMIT $2)`;
const LATEST = "SELECT * FROM deliveries WHERE webhook = $1 ORDER BY position DESC LIMIT $2";
