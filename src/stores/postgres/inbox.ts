// The list of what waits for a person, kept beside the journals so that nobody has to fold them all to find it.

import { assertNever } from "../../errors.ts";
import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { type ItemChange, itemChanges } from "../../projections/folds/approvals.ts";
import { type RunRecord, wholeMs } from "../run-record.ts";
import { INBOX_TYPES } from "../transaction/append-rules.ts";
import type { Sql } from "./sql.ts";

export async function updateInbox(sql: Sql, held: RunRecord, event: JournalEvent): Promise<void> {
  if (!INBOX_TYPES.has(event.type)) return;
  await updateItems(sql, held, event);
  if (TERMINAL_TYPES.has(event.type)) {
    await sql.run("DELETE FROM claims WHERE run = $1", held.row.id);
    await sql.run("DELETE FROM grants WHERE run = $1 AND scope = 'tree'", held.n);
  }
  if (event.type === "APPROVAL_DECIDED") await addGrant(sql, held, event);
}

export async function updateItems(sql: Sql, held: RunRecord, event: JournalEvent): Promise<void> {
  for (const change of itemChanges(event)) await changeItem(sql, held, event, change);
}

async function changeItem(sql: Sql, held: RunRecord, event: JournalEvent, change: ItemChange): Promise<void> {
  const { n } = held;
  held.openItems ??= (await sql.get("SELECT count(*) AS items FROM approvals WHERE run = $1", n))![
    "items"
  ] as number;
  if (change.type !== "open" && held.openItems === 0) return;
  switch (change.type) {
    case "open":
      held.openItems += await sql.run(
        OPEN_ITEM,
        n,
        change.itemId,
        change.kind,
        event.ts,
        wholeMs(change.expiresAt),
      );
      break;
    case "close":
      held.openItems -= await sql.run("DELETE FROM approvals WHERE run = $1 AND item = $2", n, change.itemId);
      break;
    case "close-all":
      held.openItems -= await sql.run("DELETE FROM approvals WHERE run = $1", n);
      break;
    default:
      assertNever(change);
  }
}

async function addGrant(
  sql: Sql,
  { n }: RunRecord,
  { payload, ts }: EventOf<"APPROVAL_DECIDED">,
): Promise<void> {
  const { decision, scope, grant, by, until, folder = null } = payload;
  if (scope !== "always" && scope !== "tree") return;
  if (!grant || decision === "reject" || decision === "expire") return;
  await sql.run(ADD_GRANT, n, grant, by, ts, wholeMs(until), scope, folder);
}

const OPEN_ITEM = `INSERT INTO approvals (run, item, kind, opened_at, expires_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`;

export const ADD_GRANT = `INSERT INTO grants (run, rule, given_by, given_at, until, scope, folder)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
