// Finds runs that no driver has continued yet although all their questions are answered. The store's inbox lists the open questions.

import type { RunId } from "../../ids.ts";
import { ANSWERED_BY_ITEMS, isAnswered } from "../../projections/folds/approvals.ts";
import { blockersOf } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import type { RunSummary } from "../routes/schemas.ts";

export async function answeredRuns(store: Store, rows: readonly RunRow[]): Promise<ReadonlySet<RunId>> {
  const asked = rows.filter(mayBeAnswered);
  if (asked.length === 0) return new Set();
  const open = new Set((await store.inbox.openItems()).map(({ runId }) => runId));
  const known = new Map(rows.map((row) => [row.id, row]));
  const below = new Set(asked.flatMap(blockersOf).filter((id) => !known.has(id) && !open.has(id)));
  for (const row of await Promise.all([...below].map((id) => store.runs.get(id))))
    if (row) known.set(row.id, row);
  const around = { hasOpenItem: (id: RunId) => open.has(id), run: (id: RunId) => known.get(id) };
  return new Set(asked.flatMap((row) => (isAnswered(row, around) ? [row.id] : [])));
}

/** Sets `answered` in the rows of runs whose questions are all answered. */
export async function markAnswered(store: Store, rows: readonly RunRow[]): Promise<RunSummary[]> {
  const answered = await answeredRuns(store, rows);
  return rows.map((row) => (answered.has(row.id) ? { ...row, answered: true } : row));
}

/** True if the run or one of its descendants waits for a person. */
export const mayBeAnswered = ({ status, waitingOn }: RunRow): boolean =>
  status === "suspended" && (waitingOn?.kind === "child_hitl" || ANSWERED_BY_ITEMS.has(waitingOn?.kind));
