// Deletes whole trees. One transaction deletes a tree's rows, and from then on the tree does not exist.
// Further transactions of limited size delete the tree's events, messages and blobs, so that no append waits long.
// If a crash interrupts the pruning, the next prune deletes the rest.

import { setImmediate as pause } from "node:timers/promises";
import type { RunId } from "../../ids.ts";
import type { PruneFilter, PruneResult } from "../store.ts";
import type { Answer, PruneReads } from "./queries.ts";
import { ask, type Steps, type Transaction } from "./transaction.ts";

/** Maximum number of rows that one transaction deletes. */
const ROWS_PER_COMMIT = 500;
const TREES_PER_PAGE = 50;
const BLOBS_PER_PAGE = 1_000;

export interface PruneParts {
  /** These queries read outside of any transaction. */
  read<T>(question: (reads: OutsideReads) => Answer<T>): Promise<T>;
  write<T>(work: (tx: Transaction) => Steps<T>): Promise<T>;
  /** How many trees one commit deletes. Other writers wait for this commit. */
  treesPerCommit: number;
}

export interface OutsideReads extends PruneReads {
  hasPruned(): Answer<boolean>;
  /** One entry for each run of the tree. */
  sizes(root: RunId): Answer<{ n: number; events: number; bytes: number }[]>;
  /** Blobs sorted by name, starting after the given name. Runs in `except` are treated as already deleted. */
  blobs(after: string, limit: number, except: readonly number[]): Answer<BlobSize[]>;
}

interface BlobSize {
  name: string;
  bytes: number;
  isNeeded: boolean;
}

export function prune(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  return filter.dryRun ? estimate(filter, parts) : remove(filter, parts);
}

async function remove(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  const total: PruneResult = { trees: 0, runs: 0, events: 0, bytes: 0 };
  await sweep(parts);
  await parts.write(({ queries, now }) => ask(queries.expireFreshBlobs(now)));
  for await (const page of treePages(filter, parts)) {
    for (const runs of await dropTrees(page, filter, parts)) {
      total.runs += runs;
      if (runs > 0) total.trees++;
    }
    const swept = await sweep(parts);
    total.events += swept.events;
    total.bytes += swept.bytes;
  }
  total.bytes += await dropBlobs(parts);
  return total;
}

async function estimate(filter: PruneFilter, parts: PruneParts): Promise<PruneResult> {
  const total: PruneResult = { trees: 0, runs: 0, events: 0, bytes: 0 };
  const gone = new Set<RunId>();
  const numbers: number[] = [];
  for await (const page of treePages(filter, parts)) {
    for (const root of page) {
      const continuing = await parts.read((reads) => reads.continuedBy(root));
      if (continuing.some((other) => !gone.has(other))) continue;
      gone.add(root);
      total.trees++;
      for (const { n, events, bytes } of await parts.read((reads) => reads.sizes(root))) {
        numbers.push(n);
        total.runs++;
        total.events += events;
        total.bytes += bytes;
      }
      await pause();
    }
  }
  for await (const blobs of unusedBlobs(parts, numbers)) for (const { bytes } of blobs) total.bytes += bytes;
  return total;
}

/** The newest trees come first, so that a run is deleted before the run that it continues. */
async function* treePages(filter: PruneFilter, { read }: PruneParts): AsyncGenerator<RunId[], void> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await read((reads) => reads.prunable(filter, below, TREES_PER_PAGE));
    if (page.length > 0) yield page.map(({ id }) => id);
    if (page.length < TREES_PER_PAGE) return;
    below = page.at(-1)!.n;
  }
}

/** Returns the number of runs in each tree. */
async function dropTrees(
  roots: readonly RunId[],
  filter: PruneFilter,
  { write, treesPerCommit }: PruneParts,
): Promise<number[]> {
  const dropped: number[] = [];
  for (let at = 0; at < roots.length; at += treesPerCommit) {
    const together = roots.slice(at, at + treesPerCommit);
    dropped.push(...(await Promise.all(together.map((root) => write((tx) => dropTree(tx, root, filter))))));
  }
  return dropped;
}

/** Returns the number of deleted runs. It is 0 if the tree stays, because another run has started to need it. */
function* dropTree(tx: Transaction, root: RunId, filter: PruneFilter): Steps<number> {
  const { queries } = tx;
  const found = yield* ask(queries.prunable({ ...filter, root }, Number.MAX_SAFE_INTEGER, 1));
  if (found.length === 0) return 0;
  if ((yield* ask(queries.continuedBy(root))).length > 0) return 0;
  return yield* ask(queries.deleteTree(root, tx.position));
}

async function sweep({ read, write }: PruneParts): Promise<{ events: number; bytes: number }> {
  const total = { events: 0, bytes: 0 };
  while (await read((reads) => reads.hasPruned())) {
    const swept = await write(sweepSome);
    total.events += swept.events;
    total.bytes += swept.bytes;
  }
  return total;
}

/** Deletes children before their parents, because messages of children refer to messages of their parents. */
function* sweepSome({ queries }: Transaction): Steps<{ events: number; bytes: number }> {
  const total = { events: 0, bytes: 0 };
  for (let left = ROWS_PER_COMMIT; left > 0; left--) {
    const next = yield* ask(queries.nextPruned());
    if (!next) break;
    const sizes = yield* ask(queries.deleteEvents(next.n, left));
    left -= sizes.length;
    total.events += sizes.length;
    for (const bytes of sizes) total.bytes += bytes;
    if (left <= 0) break;
    yield* ask(queries.finishPruned(next.n));
  }
  return total;
}

/** Returns the number of deleted bytes. Each blob is checked again before it is deleted, because a new append might need it. */
async function dropBlobs(parts: PruneParts): Promise<number> {
  let freed = 0;
  for await (const page of unusedBlobs(parts, [])) {
    const names = page.map(({ name }) => name);
    freed += await parts.write(({ queries }) => ask(queries.deleteBlobs(names)));
  }
  return freed;
}

async function* unusedBlobs({ read }: PruneParts, except: readonly number[]): AsyncGenerator<BlobSize[]> {
  for (let after = ""; ; ) {
    const page = await read((reads) => reads.blobs(after, BLOBS_PER_PAGE, except));
    const unused = page.filter(({ isNeeded }) => !isNeeded);
    if (unused.length > 0) yield unused;
    if (page.length < BLOBS_PER_PAGE) return;
    after = page.at(-1)!.name;
    await pause();
  }
}
