// Keeps the items that wait for a person in a table, so that listing them needs no fold over all journals.

import { assertNever } from "../../errors.ts";
import { type EventOf, type EventType, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { type ItemChange, itemChanges } from "../../projections/folds/approvals.ts";
import type { RunRecord } from "../run-record.ts";
import { ask, type Steps } from "./steps.ts";
import type { Transaction } from "./transaction.ts";

/** Event types that open or close an item, or give a grant. */
export const INBOX_TYPES: ReadonlySet<EventType> = new Set([
  "TOOL_PROPOSED",
  "APPROVAL_DECIDED",
  "OUTCOME_DECIDED",
  "TOOL_RESULT",
  "RUN_SUSPENDED",
  "CANCEL_REQUESTED",
  "RUN_COMPLETED",
  "RUN_FAILED",
  "RUN_CANCELLED",
  "RUN_MOVED",
]);

export function* updateInbox(tx: Transaction, record: RunRecord, event: JournalEvent): Steps<void> {
  yield* updateItems(tx, record, event);
  if (TERMINAL_TYPES.has(event.type)) {
    yield* ask(tx.queries.endClaims(record.row.id));
    if ((yield* ask(tx.queries.endGrants(record))) > 0) tx.grantsChanged = true;
  } else if (event.type === "APPROVAL_DECIDED") yield* addGrant(tx, record, event);
}

export function* updateItems(tx: Transaction, record: RunRecord, event: JournalEvent): Steps<void> {
  for (const change of itemChanges(event)) yield* changeItem(tx, record, event, change);
}

function* changeItem(
  { queries }: Transaction,
  record: RunRecord,
  event: JournalEvent,
  change: ItemChange,
): Steps<void> {
  const open = record.openItems ?? (yield* ask(queries.countItems(record)));
  record.openItems = open;
  if (change.type !== "open" && open === 0) return;
  switch (change.type) {
    case "open":
      record.openItems = open + (yield* ask(queries.openItem(record, change, event.ts)));
      break;
    case "close":
      record.openItems = open - (yield* ask(queries.closeItem(record, change.itemId)));
      break;
    case "close-all":
      record.openItems = open - (yield* ask(queries.closeItems(record)));
      break;
    default:
      assertNever(change);
  }
}

function* addGrant(
  tx: Transaction,
  record: RunRecord,
  { payload, ts }: EventOf<"APPROVAL_DECIDED">,
): Steps<void> {
  const { decision, scope, grant, by, until, folder } = payload;
  if (scope !== "always" && scope !== "tree") return;
  if (!grant || decision === "reject" || decision === "expire") return;
  yield* ask(tx.queries.addGrant(record, { rule: grant, by, at: ts, until, folder, scope }));
  tx.grantsChanged = true;
}
