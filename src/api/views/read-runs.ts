// A run by its id, or by the beginning of its id if no other run's begins so: people copy ids from a terminal.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Journals } from "../../projections/views/causes.ts";
import type { RunFilter, Store } from "../../stores/store.ts";
import { MAX_PAGE } from "../routes/schemas.ts";

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

// Every run that fits, newest first, over as many pages as it takes.
export async function* allRuns(
  store: Store,
  filter: Pick<RunFilter, "root"> = {},
): AsyncGenerator<RunRow, void> {
  let next: Pick<RunFilter, "cursor"> | undefined = {};
  while (next) {
    const page = await store.runs.list({ ...filter, ...next, limit: MAX_PAGE });
    yield* page.runs;
    next = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
}

// The latest runs, of one agent or of all, as far as one looks: enough to say how things go, and never every row there is.
const MOST = 5_000;

/** Newest first. `more`: there are older ones, which were not looked at. */
export async function latestRuns(store: Store, agent?: string): Promise<{ rows: RunRow[]; more: boolean }> {
  const rows: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({
      limit: MAX_PAGE,
      ...(agent === undefined ? {} : { agent }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    rows.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && rows.length < MOST);
  return { rows, more: cursor !== undefined };
}

// A run and all its descendants.
/** In the order in which they were started: the run first, a parent before its children. */
export async function subtreeOf(store: Store, top: RunRow): Promise<RunRow[]> {
  const tree = await Array.fromAsync(allRuns(store, { root: top.rootRunId }));
  const below = new Set([top.id]);
  return tree.reverse().filter((row) => {
    if (row.parentRunId !== undefined && below.has(row.parentRunId)) below.add(row.id);
    return below.has(row.id);
  });
}

// The journals of a whole tree, for whoever asks how its runs hang together.
const PAGE = 1_000;

/** As they can be read: what is damaged is left out, and must not hide the rest. */
export async function treeJournals(store: Store, root: string): Promise<Journals> {
  const journals = new Map<string, JournalEvent[]>();
  for await (const event of treeEvents(store, root)) {
    const own = journals.get(event.runId);
    if (own) own.push(event);
    else journals.set(event.runId, [event]);
  }
  return journals;
}

/** In commit order. */
export async function* treeEvents(store: Store, root: string): AsyncGenerator<JournalEvent> {
  for (let after = 0; ; ) {
    const events = await store.journal.readAll(after, PAGE, { root });
    const last = events.at(-1);
    if (!last) return;
    yield* events;
    after = last.position;
  }
}
