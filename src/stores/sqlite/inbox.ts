// The list of what waits for a person, kept beside the journals so that nobody has to fold them all to find it.

import { assertNever } from "../../errors.ts";
import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { type ItemChange, itemChanges } from "../../projections/folds/approvals.ts";
import { type RunRecord, wholeMs } from "../run-record.ts";
import { INBOX_TYPES } from "../transaction/append-rules.ts";
import type { Statements } from "./run-rows.ts";

/** True if the standing grants have changed. */
export function updateInbox(statements: Statements, held: RunRecord, event: JournalEvent): boolean {
  if (!INBOX_TYPES.has(event.type)) return false;
  updateItems(statements, held, event);
  if (TERMINAL_TYPES.has(event.type)) {
    statements.endClaims.run(held.row.id);
    return changesOf(statements.endGrants.run(held.n)) > 0;
  }
  return event.type === "APPROVAL_DECIDED" && addGrant(statements, held, event);
}

export function updateItems(statements: Statements, held: RunRecord, event: JournalEvent): void {
  for (const change of itemChanges(event)) changeItem(statements, held, event, change);
}

function changeItem(statements: Statements, held: RunRecord, event: JournalEvent, change: ItemChange): void {
  const { n } = held;
  held.openItems ??= statements.countItems.get(n)?.["items"] as number;
  if (change.type !== "open" && held.openItems === 0) return;
  switch (change.type) {
    case "open":
      held.openItems += changesOf(
        statements.openItem.run(n, change.itemId, change.kind, event.ts, wholeMs(change.expiresAt)),
      );
      break;
    case "close":
      held.openItems -= changesOf(statements.closeItem.run(n, change.itemId));
      break;
    case "close-all":
      held.openItems -= changesOf(statements.closeItems.run(n));
      break;
    default:
      assertNever(change);
  }
}

const changesOf = ({ changes }: { changes: number | bigint }): number => Number(changes);

function addGrant(
  statements: Statements,
  { n }: RunRecord,
  { payload, ts }: EventOf<"APPROVAL_DECIDED">,
): boolean {
  const { decision, scope, grant, by, until, folder = null } = payload;
  if (scope !== "always" && scope !== "tree") return false;
  if (!grant || decision === "reject" || decision === "expire") return false;
  statements.addGrant.run(n, grant, by, ts, wholeMs(until), scope, folder);
  return true;
}
