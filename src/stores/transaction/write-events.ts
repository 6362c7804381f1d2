// Writes events into a run's journal and record, and informs the runs above this run (J7).
// A child's end reaches its parent (P6), and every waiting run above learns whether a run below needs a person.
// Assigns seq, position and hash, and updates the inbox: the table of items that wait for a person.

import { assertNever } from "../../errors.ts";
import {
  type EventBody,
  type EventOf,
  isProgress,
  type JournalEvent,
  keyOf,
  OUTCOME_TYPES,
  TERMINAL_TYPES,
} from "../../journal/events.ts";
import { INBOX_TYPES, type ItemChange, itemChanges } from "../../projections/folds/approvals.ts";
import {
  awaitedChildren,
  blockedEvent,
  blockersOf,
  childCompletedEvent,
} from "../../projections/folds/parent-events.ts";
import { applyRunRow, type RunRow } from "../../projections/folds/run-row.ts";
import { markQuarantined } from "../columns.ts";
import { chainHash, digest, MAX_INLINE_PAYLOAD, neededBlobs } from "../hashes.ts";
import { type RunRecord, rememberEvent } from "../run-record.ts";
import { restRun } from "./leases.ts";
import type { StoredText } from "./queries.ts";
import { leaveQueue } from "./slots.ts";
import { ask, findRun, keysOf, type Steps, type Transaction } from "./transaction.ts";

/** Writes events that come from the run's driver. */
export const writeEvents = (tx: Transaction, record: RunRecord, events: readonly EventBody[]): Steps<void> =>
  write(tx, record, events, false);

/** Writes an event from any other writer as a signal. A signal makes a resting run due, and the driver must fold it (J2, J6). */
export const signal = (tx: Transaction, record: RunRecord, events: readonly EventBody[]): Steps<void> =>
  write(tx, record, events, true);

function* write(
  tx: Transaction,
  record: RunRecord,
  events: readonly EventBody[],
  isSignal: boolean,
): Steps<void> {
  tx.queries.touch(record);
  const written: JournalEvent[] = [];
  for (const body of events) {
    const payload = JSON.stringify(body.payload);
    const text = payload.length <= MAX_INLINE_PAYLOAD ? payload : yield* putPayload(tx, payload);
    const event = nextEvent(tx, record, body);
    const { seq, ts, type, key } = event;
    const hash = chainHash(record.hash, { seq, ts, type, key, text });
    yield* placeEvent(tx, record, event, { text, hash });
    if (INBOX_TYPES.has(type)) yield* updateInbox(tx, record, event);
    written.push(event);
  }
  if (isSignal) {
    record.lastSignal = record.row.seq;
    const isIdle = record.worker === undefined && record.row.endedAt === undefined;
    if (isIdle && !written.every(isNews)) record.dueAt = 0;
  }
  const concernsOthers =
    record.row.parentRunId !== undefined || written.some(({ type }) => type === "RUN_SUSPENDED");
  if (concernsOthers) yield* tellTree(tx, record, written);
}

/** Events that only inform people. They do not make a resting run due. */
const isNews = (event: JournalEvent): boolean =>
  event.type === "LIMIT_REACHED" ||
  event.type === "OUTCOME_PROBED" ||
  event.type === "BUDGET_SET" ||
  (event.type === "RUN_SUSPENDED" && event.payload.waitingOn.kind === "child_hitl");

function nextEvent(tx: Transaction, { row }: RunRecord, body: EventBody): JournalEvent {
  const { type, payload } = body;
  const [seq, position] = [row.seq + 1, tx.position + 1];
  return { runId: row.id, seq, position, ts: tx.now, type, key: keyOf(body), payload } as JournalEvent;
}

/** The payload in its stored form. A large payload becomes a blob, so that reading a journal stays cheap. */
export function* textOf(tx: Transaction, payload: unknown): Steps<string> {
  const text = JSON.stringify(payload);
  return text.length <= MAX_INLINE_PAYLOAD ? text : yield* putPayload(tx, text);
}

function* putPayload({ queries }: Transaction, text: string): Steps<string> {
  const name = digest(text);
  yield* ask(queries.putBlob(name, text));
  return JSON.stringify({ $blob: name });
}

/** Adds an event to its run's journal and applies it to the run's record. */
export function* placeEvent(
  tx: Transaction,
  record: RunRecord,
  event: JournalEvent,
  stored: StoredText,
): Steps<void> {
  const inserted = tx.queries.insertEvent(record, event, stored);
  if (inserted instanceof Promise) yield inserted;
  const keys = record.keys ?? (yield* keysOf(tx, record));
  keys.set(event.key, event.seq);
  tx.position = event.position;
  tx.written.push(event);
  record.hash = stored.hash;
  record.characters += stored.text.length;
  applyRunRow(record.row, event);
  keepAccounts(record, event);
  rememberEvent(record, event);
  if (event.type === "CANCEL_REQUESTED") yield* leaveQueue(tx, record);
  if (TERMINAL_TYPES.has(event.type)) yield* restRun(tx, record);
  for (const name of neededBlobs(event, stored.text)) yield* ask(tx.queries.needBlob(record, name));
}

/** Tracks the reserved budget, and the number of acquisitions without progress (E5). */
function keepAccounts(record: RunRecord, event: JournalEvent): void {
  if (event.type === "MODEL_CALL_STARTED") {
    record.openTokens = event.payload.estimate?.tokens ?? 0;
    record.openCost = event.payload.estimate?.cost ?? 0;
    record.keptTokens = event.payload.lastTurn?.tokens ?? 0;
    record.keptCost = event.payload.lastTurn?.cost ?? 0;
  }
  if (event.type === "AGENT_THOUGHT" && event.payload.lastTurn) {
    record.keptTokens = event.payload.lastTurn.tokens;
    record.keptCost = event.payload.lastTurn.cost ?? 0;
  }
  const isOutcome = OUTCOME_TYPES.has(event.type);
  if (isOutcome && isProgress(event)) record.acquisitions = 0;
  if ((isOutcome && event.type !== "TOOL_RESULT") || TERMINAL_TYPES.has(event.type)) {
    record.openTokens = 0;
    record.openCost = 0;
  }
  if (TERMINAL_TYPES.has(event.type)) {
    record.keptTokens = 0;
    record.keptCost = 0;
  }
}

/** Keeps the items that wait for a person in a table, so that listing them does not fold all journals. */
function* updateInbox(tx: Transaction, record: RunRecord, event: JournalEvent): Steps<void> {
  yield* updateItems(tx, record, event);
  if (TERMINAL_TYPES.has(event.type)) {
    yield* ask(tx.queries.endClaims(record.row.id));
    if ((yield* ask(tx.queries.endGrants(record))) > 0) tx.grantsChanged = true;
  } else if (event.type === "APPROVAL_DECIDED") yield* addGrant(tx, record, event);
}

export function* updateItems(tx: Transaction, record: RunRecord, event: JournalEvent): Steps<void> {
  const changes = itemChanges(event);
  // Most runs never have an item. Then there is nothing to close.
  if (record.openItems === 0 && changes.every(({ type }) => type !== "open")) return;
  for (const change of changes) yield* changeItem(tx, record, event, change);
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

/** Called after each write. If this function writes to the parent, it is called again for the parent, and so on up to the root. */
function* tellTree(tx: Transaction, record: RunRecord, written: readonly JournalEvent[]): Steps<void> {
  const last = written.at(-1);
  if (last) yield* reportToParent(tx, record, childCompletedEvent(record.row, last));
  if (written.some(({ type }) => type === "RUN_SUSPENDED")) yield* refreshBlockers(tx, record);
  const { parentRunId } = record.row;
  if (parentRunId === undefined) return;
  const parent = yield* findRun(tx, parentRunId);
  if (parent && mayBlock(record.row, parent.row)) yield* refreshBlockers(tx, parent);
}

/** Tells the parent only once, and only while the parent has not ended (D4). */
export function* reportToParent(
  tx: Transaction,
  { row }: RunRecord,
  event: EventBody | undefined,
): Steps<void> {
  if (!event || row.parentRunId === undefined) return;
  const parent = yield* findRun(tx, row.parentRunId);
  if (!parent || parent.row.endedAt !== undefined) return;
  if (!(yield* keysOf(tx, parent)).has(keyOf(event))) yield* signal(tx, parent, [event]);
}

/** The reason that the runs above receive. The exact reason is in the row of the unreadable run. */
export const UNREADABLE = "it cannot be read.";

/** A cheap first check. Looking at all siblings after each event of each child would take quadratic time. */
const mayBlock = (child: RunRow, parent: RunRow): boolean =>
  blockersOf(child).length > 0 || parent.waitingOn?.blockers !== undefined;

/** Tells a waiting run which runs below it need a person. A child that cannot be read needs one too, although its journal does not say so. */
export function* refreshBlockers(tx: Transaction, record: RunRecord): Steps<void> {
  const awaited = awaitedChildren(record.row);
  if (awaited.length === 0) return;
  const children: RunRow[] = [];
  for (const id of awaited) {
    const child = yield* findRun(tx, id);
    if (!child) continue;
    const isUnreadable = child.row.endedAt === undefined && (yield* ask(tx.queries.isQuarantined(id)));
    children.push(isUnreadable ? markQuarantined(child.row, UNREADABLE) : child.row);
  }
  const event = blockedEvent(record.row, children);
  if (event) yield* signal(tx, record, [event]);
}
