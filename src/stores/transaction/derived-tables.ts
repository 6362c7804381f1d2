// Tables that are computed from the journals: the usage of each tree, and the search index. Appends do not write them.
// Reading such a table first brings it up to date, page by page, so that appends can continue between pages.
// One transaction writes a page of rows, and the position up to which the table is then complete.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { applyTreeUsage, emptyTreeUsage } from "../../projections/usage/tree-usage.ts";
import type { Write } from "./operations.ts";
import type { DerivedTable } from "./queries.ts";
import { ask, type Steps, type Transaction } from "./transaction.ts";

const PAGE_EVENTS = 500;

/** Brings a table up to date, page by page. `cursor` is the position that the table has reached. */
export async function catchUp(
  table: DerivedTable,
  { cursor, position, write }: { cursor: Position; position: Position; write: Write },
): Promise<void> {
  for (let at = cursor; at < position; ) {
    const next = await write((tx) => takePage(tx, table));
    if (next === undefined) return;
    at = next;
  }
}

/** Returns the new position. Undefined if there is no further event, or if only a newer version understands the next event (E9). */
function* takePage(tx: Transaction, table: DerivedTable): Steps<Position | undefined> {
  const cursor = yield* ask(tx.queries.tableCursor(table));
  const events = yield* ask(tx.queries.readPage(cursor, PAGE_EVENTS));
  const last = events.at(-1);
  if (!last) return undefined;
  yield* TAKE[table](tx, events);
  yield* ask(tx.queries.setTableCursor(table, last.position));
  return last.position;
}

type Take = (tx: Transaction, events: readonly JournalEvent[]) => Steps<void>;

const TAKE: Record<DerivedTable, Take> = {
  tree_usages: takeTreeUsage,
  *search({ queries }, events) {
    yield* ask(queries.indexWords(events));
  },
};

function* takeTreeUsage({ queries }: Transaction, events: readonly JournalEvent[]): Steps<void> {
  const roots = yield* ask(queries.rootsOf([...new Set(events.map(({ runId }) => runId))]));
  const trees = yield* ask(queries.treeUsages([...new Set<RunId>(roots.values())]));
  for (const event of events) {
    // A run that is being pruned has no row, so its root is unknown.
    const root = roots.get(event.runId);
    if (root !== undefined) trees.set(root, applyTreeUsage(trees.get(root) ?? emptyTreeUsage(root), event));
  }
  yield* ask(queries.writeTreeUsages(trees));
}
