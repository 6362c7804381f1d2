// Cursors and deliveries of webhooks, on Postgres.

import { MAX_DELIVERIES, type Outbox, readCursor, readDelivery } from "../outbox.ts";
import type { Sql } from "./sql.ts";

interface OutboxParts {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  write<T>(apply: (batch: { sql: Sql; now: number }) => Promise<T>): Promise<T>;
}

export function postgresOutbox({ read, write }: OutboxParts): Outbox {
  return {
    acquire: (webhook, holder, forMs) =>
      write(async ({ sql, now }) => {
        await sql.run(BEGIN, webhook);
        const taken = await sql.get(TAKE, webhook, holder, now + forMs, now);
        return taken && readCursor(taken);
      }),
    release: (holder) =>
      write(async ({ sql }) => {
        await sql.run("UPDATE webhooks SET holder = NULL, held_until = 0 WHERE holder = $1", holder);
      }),
    advance: (webhook, to) =>
      write(async ({ sql }) => {
        await sql.run(SKIP, webhook, to);
      }),
    record: (delivery, retryAt) =>
      write(async ({ sql }) => {
        const { webhook, id, event, runId, position, at, attempts, outcome, detail } = delivery;
        await sql.run(NOTE, webhook, id, event, runId, position, at, attempts, outcome, detail);
        await sql.run(FORGET, webhook, MAX_DELIVERIES);
        if (retryAt === undefined) await sql.run(SKIP, webhook, position);
        else await sql.run(LATER, webhook, attempts, retryAt);
      }),
    cursors: () =>
      read(async (sql) => {
        const found = await sql.all(`SELECT * FROM webhooks ORDER BY webhook COLLATE "C"`);
        return found.map((columns) => ({ webhook: columns["webhook"] as string, ...readCursor(columns) }));
      }),
    deliveries: (webhook, limit) =>
      read(async (sql) => (await sql.all(LATEST, webhook, limit)).map(readDelivery)),
  };
}

const BEGIN = `INSERT INTO webhooks (webhook, position) SELECT $1, position FROM head ON CONFLICT DO NOTHING`;
const TAKE = `UPDATE webhooks SET holder = $2, held_until = $3
  WHERE webhook = $1 AND (holder IS NULL OR holder = $2 OR held_until <= $4) RETURNING *`;
const SKIP = "UPDATE webhooks SET position = $2, attempts = 0, retry_at = NULL WHERE webhook = $1";
const LATER = "UPDATE webhooks SET attempts = $2, retry_at = $3 WHERE webhook = $1";
const NOTE = `INSERT INTO deliveries (webhook, id, event, run, position, at, attempts, outcome, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (webhook, id) DO UPDATE SET
  at = excluded.at, attempts = excluded.attempts, outcome = excluded.outcome, detail = excluded.detail`;
const FORGET = `DELETE FROM deliveries WHERE webhook = $1 AND position NOT IN (
  SELECT position FROM deliveries WHERE webhook = $1 ORDER BY position DESC LIMIT $2)`;
const LATEST = "SELECT * FROM deliveries WHERE webhook = $1 ORDER BY position DESC LIMIT $2";
