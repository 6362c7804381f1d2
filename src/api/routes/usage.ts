// What was spent, and how delegations went: of all runs, or of one and everything below it. Folds the journal of every
// run that something happened to since, so its cost grows with them: ask for no more than you show.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import type { RunRow } from "../../projections/run-row.ts";
import { usageReport, usageTotals } from "../../projections/usage-report.ts";
import type { Store } from "../../stores/store.ts";
import { allRuns } from "../all-runs.ts";
import { findRun } from "../find-run.ts";
import type { ApiParts } from "../parts.ts";
import { readQuery } from "../request.ts";
import { UsageQuery } from "../schema.ts";
import { subtreeOf } from "../subtree.ts";

export function usageRoutes({ store }: ApiParts): Hono {
  return new Hono().get("/", async (c) => {
    const { root, since = 0 } = readQuery(c, UsageQuery);
    const projection = usageTotals(since);
    let totals = projection.initial();
    for await (const { id, seq, updatedAt } of await runsOf(store, root)) {
      if (updatedAt < since) continue;
      // Not the verified journal: one that is damaged must not hide what the others spent.
      for (const event of await store.read(0, seq, { run: id })) totals = projection.apply(totals, event);
      // The store answers without leaving this turn: a long report must not hold up the runs that are driven.
      await nextTurn();
    }
    return c.json(usageReport(totals));
  });
}

async function runsOf(
  store: Store,
  root: string | undefined,
): Promise<Iterable<RunRow> | AsyncIterable<RunRow>> {
  return root === undefined ? allRuns(store) : subtreeOf(store, await findRun(store, root));
}
