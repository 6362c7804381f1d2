// The usage of all runs, or of one and everything below it, folded from their journals.
//  Rows come first: the journal of a run to which nothing happened since the beginning of the report is not read.
//  A report of all runs is kept and taken further from its position when it is asked for again: what it costs then grows
//  with what has happened since, not with all that there is. A prune takes runs away without an event, so it is told by
//  how many runs there are, and the report is made anew.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { JournalEvent } from "../journal/events.ts";
import type { Projection } from "../projections/projection.ts";
import type { RunRow } from "../projections/run-row.ts";
import { type TimeTotals, timeTotals, usageOverTime } from "../projections/usage-over-time.ts";
import { type UsageTotals, usageReport, usageTotals } from "../projections/usage-report.ts";
import type { Store } from "../stores/store.ts";
import { allRuns } from "./all-runs.ts";
import { findRun } from "./find-run.ts";
import type { UsageFilter, UsageView } from "./schema.ts";
import { subtreeOf } from "./subtree.ts";

interface Kept {
  fold: Fold;
  position: number;
  /** How many runs the store had. */
  runs: number;
}

/** A page of the dashboard has one or two of them open. */
const MOST_KEPT = 4;
const READ_AT_ONCE = 2_000;

export function createUsageFold(store: Store): (filter: UsageFilter) => Promise<UsageView> {
  const kept = new Map<string, Promise<Kept>>();
  const ofAll = (filter: UsageFilter): Promise<Kept> => {
    const key = JSON.stringify([filter.since, filter.every]);
    const before = kept.get(key);
    const next = before ? before.then((one) => further(store, filter, one)) : foldAll(store, filter);
    kept.delete(key);
    kept.set(key, next);
    next.catch(() => kept.delete(key));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    return next;
  };
  return async (filter) => {
    const { root } = filter;
    if (root === undefined) return (await ofAll(filter)).fold.report();
    const top = await findRun(store, root);
    const fold = createFold(filter, top.id);
    await foldRuns(store, await subtreeOf(store, top), { fold, since: filter.since });
    return fold.report();
  };
}

interface Fold {
  apply(event: JournalEvent): void;
  knows(runId: string): boolean;
  report(): UsageView;
}

function createFold({ since, every }: UsageFilter, top?: string): Fold {
  const totals = folding<UsageTotals>(usageTotals(since));
  const time =
    every === undefined
      ? undefined
      : folding<TimeTotals>(
          timeTotals({
            every,
            ...(since === undefined ? {} : { since }),
            ...(top === undefined ? {} : { top }),
          }),
        );
  return {
    apply(event) {
      totals.apply(event);
      time?.apply(event);
    },
    knows: (runId) => totals.state().agentOf.has(runId),
    report: () => ({
      ...usageReport(totals.state()),
      ...(time && every !== undefined ? { overTime: usageOverTime(time.state(), every) } : {}),
    }),
  };
}

function folding<T>(projection: Projection<T>): { apply(event: JournalEvent): void; state(): T } {
  let state = projection.initial();
  return {
    apply(event) {
      state = projection.apply(state, event);
    },
    state: () => state,
  };
}

async function foldAll(store: Store, filter: UsageFilter): Promise<Kept> {
  const [position, runs] = [await store.position(), await runsIn(store)];
  const fold = createFold(filter);
  await foldRuns(store, allRuns(store), { fold, since: filter.since, position });
  return { fold, position, runs };
}

/** `position`: what came later is not folded yet. */
async function foldRuns(
  store: Store,
  rows: Iterable<RunRow> | AsyncIterable<RunRow>,
  {
    fold,
    since = 0,
    position = Number.POSITIVE_INFINITY,
  }: { fold: Fold; since?: number | undefined; position?: number },
): Promise<void> {
  for await (const { id, seq, updatedAt } of rows) {
    if (updatedAt < since) continue;
    // Not the verified journal: one that is damaged must not hide what the others spent.
    for (const event of await store.read(0, seq, { run: id }))
      if (event.position <= position) fold.apply(event);
    // The store answers without leaving this turn: a long report must not hold up the runs that are driven.
    await nextTurn();
  }
}

async function further(store: Store, filter: UsageFilter, before: Kept): Promise<Kept> {
  const { fold } = before;
  let { position, runs } = before;
  for (;;) {
    const events = await store.read(position, READ_AT_ONCE);
    for (const event of events) {
      if (event.type === "RUN_STARTED") runs++;
      // Nothing had happened to it since the beginning of the report: who it is stands in what was not read.
      else if (!fold.knows(event.runId)) await foldEarlier(store, event, fold);
      fold.apply(event);
      position = event.position;
    }
    if (events.length < READ_AT_ONCE) break;
    await nextTurn();
  }
  return (await runsIn(store)) < runs ? foldAll(store, filter) : { fold, position, runs };
}

async function foldEarlier(store: Store, { runId, seq, position }: JournalEvent, fold: Fold): Promise<void> {
  for (const event of await store.read(0, seq, { run: runId }))
    if (event.position < position) fold.apply(event);
}

const runsIn = (store: Store): Promise<number> => store.countRuns({});
