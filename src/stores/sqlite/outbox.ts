// Cursors and deliveries of webhooks, on one SQLite file.

import type { Position } from "../../ids.ts";
import { MAX_DELIVERIES, type Outbox, readCursor, readDelivery } from "../outbox.ts";
import type { Sql } from "./sql.ts";

interface OutboxParts {
  sql: Sql;
  position(): Position;
  write<T>(apply: (batch: { now: number }) => T): Promise<T>;
}

export function sqliteOutbox({ sql, position, write }: OutboxParts): Outbox {
  return {
    acquire: (webhook, holder, forMs) =>
      write(({ now }) => {
        sql.run(BEGIN, webhook, position());
        const taken = sql.get(TAKE, holder, now + forMs, webhook, holder, now);
        return taken && readCursor(taken);
      }),
    release: (holder) =>
      write(() => void sql.run("UPDATE webhooks SET holder = NULL, held_until = 0 WHERE holder = ?", holder)),
    advance: (webhook, to) => write(() => void sql.run(SKIP, to, webhook)),
    record: (delivery, retryAt) =>
      write(() => {
        const { webhook, id, event, runId, at, attempts, outcome, detail } = delivery;
        sql.run(NOTE, webhook, id, event, runId, delivery.position, at, attempts, outcome, detail);
        sql.run(FORGET, webhook, webhook, MAX_DELIVERIES);
        if (retryAt === undefined) sql.run(SKIP, delivery.position, webhook);
        else
          sql.run(
            "UPDATE webhooks SET attempts = ?, retry_at = ? WHERE webhook = ?",
            attempts,
            retryAt,
            webhook,
          );
      }),
    cursors: async () =>
      sql
        .all("SELECT * FROM webhooks ORDER BY webhook")
        .map((columns) => ({ webhook: columns["webhook"] as string, ...readCursor(columns) })),
    deliveries: async (webhook, limit) => sql.all(LATEST, webhook, limit).map(readDelivery),
  };
}

const BEGIN = "INSERT INTO webhooks (webhook, position) VALUES (?, ?) ON CONFLICT DO NOTHING";
const TAKE = `UPDATE webhooks SET holder = ?, held_until = ?
  WHERE webhook = ? AND (holder IS NULL OR holder = ? OR held_until <= ?) RETURNING *`;
const SKIP = "UPDATE webhooks SET position = ?, attempts = 0, retry_at = NULL WHERE webhook = ?";
const NOTE = `INSERT INTO deliveries (webhook, id, event, run, position, at, attempts, outcome, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (webhook, id) DO UPDATE SET
  at = excluded.at, attempts = excluded.attempts, outcome = excluded.outcome, detail = excluded.detail`;
const FORGET = `DELETE FROM deliveries WHERE webhook = ? AND position NOT IN (
  SELECT position FROM deliveries WHERE webhook = ? ORDER BY position DESC LIMIT ?)`;
const LATEST = "SELECT * FROM deliveries WHERE webhook = ? ORDER BY position DESC LIMIT ?";
