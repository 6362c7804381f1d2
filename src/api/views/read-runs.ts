// Reads from the store: one run by its id, all runs page by page, a run with its descendants, or the journals of a tree.

import { CadreError, runNotFound } from "../../errors.ts";
import { RUN_ID_LENGTH, type RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Journals } from "../../projections/views/causes.ts";
import type { RunFilter, Store } from "../../stores/store.ts";
import { MAX_PAGE } from "../routes/schemas.ts";

/** Minimum length of an id prefix that can name a run. */
const MIN_PREFIX = 6;
const LISTED = 10;

/** Finds a run by its id or by a unique prefix of its id. People often copy only part of an id. */
export async function findRun(store: Store, id: RunId): Promise<RunRow> {
  const exact = await store.runs.get(id);
  if (exact) return exact;
  const isPrefix = id.length >= MIN_PREFIX && id.length < RUN_ID_LENGTH;
  const [found, ...others] = isPrefix ? (await store.runs.list({ idPrefix: id, limit: MAX_PAGE })).runs : [];
  if (!found) throw runNotFound(id);
  if (others.length === 0) return found;
  const runs = [found, ...others].map((row) => row.id);
  const listed = runs.slice(0, LISTED).join(", ");
  throw new CadreError("CONFLICT", `${runs.length} runs begin with ${id}: ${listed}. Give more of the id.`, {
    runs,
  });
}

/** True if the error says that a run's journal cannot be read. Other runs are not affected. */
export const isDamagedJournal = (error: unknown): error is CadreError =>
  error instanceof CadreError && error.code.startsWith("JOURNAL_");

/** P9: returns the result of `onDamage` if a journal is damaged, so that this journal does not hide other runs. */
export async function unlessDamaged<T, D>(
  read: () => Promise<T>,
  onDamage: (error: CadreError) => D | Promise<D>,
): Promise<T | D> {
  try {
    return await read();
  } catch (error) {
    if (isDamagedJournal(error)) return onDamage(error);
    throw error;
  }
}

/** Reads all matching runs, newest first, page by page. */
export async function* allRuns(
  store: Store,
  filter: Pick<RunFilter, "root"> = {},
): AsyncGenerator<RunRow, void> {
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({ ...filter, ...omitUndefined({ cursor }), limit: MAX_PAGE });
    yield* page.runs;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Maximum number of runs that statistics read. Reading all rows of a large store would take too long. */
const MAX_LATEST = 5_000;

/** Reads the latest runs, newest first, of one agent or of all agents. `more` is true if there are older runs. */
export async function latestRuns(store: Store, agent?: string): Promise<{ rows: RunRow[]; more: boolean }> {
  const rows: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({ limit: MAX_PAGE, ...omitUndefined({ agent, cursor }) });
    rows.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && rows.length < MAX_LATEST);
  return { rows, more: cursor !== undefined };
}

/** Reads a run and all its descendants, sorted by start time. So every parent comes before its children. */
export async function subtreeOf(store: Store, top: RunRow): Promise<RunRow[]> {
  const tree = await Array.fromAsync(allRuns(store, { root: top.rootRunId }));
  const below = new Set([top.id]);
  return tree.reverse().filter((row) => {
    if (row.parentRunId !== undefined && below.has(row.parentRunId)) below.add(row.id);
    return below.has(row.id);
  });
}

const PAGE = 1_000;

/** Reads the journals of a whole tree. Damaged events are left out, so that they do not hide other events. */
export async function treeJournals(store: Store, root: string): Promise<Journals> {
  const journals = new Map<string, JournalEvent[]>();
  for await (const event of treeEvents(store, root)) {
    const own = journals.get(event.runId);
    if (own) own.push(event);
    else journals.set(event.runId, [event]);
  }
  return journals;
}

/** Reads the events of a whole tree in commit order. */
export async function* treeEvents(store: Store, root: string): AsyncGenerator<JournalEvent> {
  for (let after = 0; ; ) {
    const events = await store.journal.readAll(after, PAGE, { root });
    const last = events.at(-1);
    if (!last) return;
    yield* events;
    after = last.position;
  }
}
