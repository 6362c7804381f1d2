// A run by its id, or by the beginning of its id if no other run's begins so: people copy ids from a terminal.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { allRuns } from "../all-runs.ts";

/** What a run may be called by: its id, or the beginning of it if no other id begins so. */
export const MIN_PREFIX = 6;

/** An id of this length is whole: looking for others that begin with it would read every run for nothing. */
const WHOLE = 22;
const LISTED = 10;

export async function findRun(store: Store, id: RunId): Promise<RunRow> {
  const exact = await store.runs.get(id);
  if (exact) return exact;
  const [found, ...others] = id.length < MIN_PREFIX || id.length >= WHOLE ? [] : await beginning(store, id);
  if (!found) throw runNotFound(id);
  if (others.length === 0) return found;
  const runs = [found, ...others].map((row) => row.id);
  const listed = runs.slice(0, LISTED).join(", ");
  throw new CadreError("CONFLICT", `${runs.length} runs begin with ${id}: ${listed}. Give more of the id.`, {
    runs,
  });
}

async function beginning(store: Store, prefix: string): Promise<RunRow[]> {
  const found: RunRow[] = [];
  for await (const row of allRuns(store)) if (row.id.startsWith(prefix)) found.push(row);
  return found;
}
