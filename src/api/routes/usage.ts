// What was spent, and how delegations went: of all runs, or of one and everything below it. Folds the journal of every
// run that something happened to since, so its cost grows with them: ask for no more than you show.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunRow } from "../../projections/run-row.ts";
import { type UsageReport, usageReport, usageTotals } from "../../projections/usage-report.ts";
import type { Store } from "../../stores/store.ts";
import { allRuns } from "../all-runs.ts";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route } from "../route.ts";
import { UsageQuery } from "../schema.ts";
import { subtreeOf } from "../subtree.ts";
import { Usage } from "../wire.ts";

export function usageRoutes({ store }: ApiParts): Route[] {
  return [
    route(
      {
        method: "get",
        path: "/api/usage",
        summary: "What was spent, by agent, model and delegation",
        query: UsageQuery,
        answer: Usage,
      },
      ({ query: { root, since } }) => reportOf(store, root, since),
    ),
  ];
}

async function reportOf(store: Store, root: string | undefined, since = 0): Promise<UsageReport> {
  const projection = usageTotals(since);
  let totals = projection.initial();
  for await (const { id, seq, updatedAt } of await runsOf(store, root)) {
    if (updatedAt < since) continue;
    // Not the verified journal: one that is damaged must not hide what the others spent.
    for (const event of await store.read(0, seq, { run: id })) totals = projection.apply(totals, event);
    // The store answers without leaving this turn: a long report must not hold up the runs that are driven.
    await nextTurn();
  }
  return usageReport(totals);
}

async function runsOf(
  store: Store,
  root: string | undefined,
): Promise<Iterable<RunRow> | AsyncIterable<RunRow>> {
  return root === undefined ? allRuns(store) : subtreeOf(store, await findRun(store, root));
}
