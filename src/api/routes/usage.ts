// Reports usage: tokens, cost and delegations of all runs, or of one run with its descendants.
// A second route lists the results of each agent's latest runs. It reads only the rows of the runs.

import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { talliesByAgent } from "../../projections/usage/agent-tallies.ts";
import {
  applyTreeUsage,
  BUCKET_MS,
  emptyTreeUsage,
  type TreeUsage,
} from "../../projections/usage/tree-usage.ts";
import { createUsageReport } from "../../projections/usage/usage-report.ts";
import { AgentTally, UsageReport } from "../../projections/usage/usage-schema.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, latestRuns, subtreeOf, treeEvents } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject, nameSchema } from "./schemas.ts";

export const UsageQuery = z.strictObject({
  /** Report only on this run and its descendants. */
  root: z.string().min(1).exactOptional(),
  /** Start of the report, in milliseconds since the epoch. In a report on all runs it is rounded down to a quarter of an hour. */
  since: Count.exactOptional(),
  /** Length of an interval in milliseconds. If set, the report also lists the usage in each interval after `since`. */
  every: Count.pipe(z.int().min(60_000)).exactOptional(),
});

export type UsageFilter = z.output<typeof UsageQuery>;

export const Usage = nameSchema("Usage", UsageReport);
export type UsageView = z.infer<typeof Usage>;

/** `runs` is the number of runs that were read, newest first. `more` is true if older runs were not read. */
export const lookedFields = { runs: z.int(), more: z.boolean() };

export const Activity = namedObject("Activity", {
  agents: z.array(AgentTally.extend({ agent: z.string() })),
  ...lookedFields,
});
export type Activity = z.infer<typeof Activity>;

export function usageRoutes({ store }: ApiParts) {
  return [
    route.get(
      "/api/usage",
      {
        summary:
          "Tokens and cost by agent, model and delegation; with `every` also over time, and the results of trees",
        query: UsageQuery,
        answer: Usage,
      },
      ({ query }) => readUsage(store, query),
    ),
    route.get(
      "/api/activity",
      { summary: "Results of each agent's latest runs", answer: Activity, etag: true },
      async () => {
        const { rows, more } = await latestRuns(store);
        return { agents: talliesByAgent(rows), runs: rows.length, more };
      },
    ),
  ];
}

const PAGE = 2_000;

/** Reports usage. For all runs it adds up the totals that the store keeps for each tree, so it reads no journals. */
export async function readUsage(store: Store, filter: UsageFilter): Promise<UsageView> {
  const { root, every } = filter;
  const since = root === undefined ? bucketOf(filter.since) : filter.since;
  const report = createUsageReport({ since, every });
  if (root !== undefined) report.add(await usageBelow(store, root));
  else for await (const tree of storedTrees(store, since)) report.add(tree);
  return report.view();
}

const bucketOf = (ts = 0): number => Math.floor(ts / BUCKET_MS) * BUCKET_MS;

/** Computes the usage from the journals. It uses buckets of one millisecond, so the result is exact. */
async function usageBelow(store: Store, root: string): Promise<TreeUsage> {
  const top = await findRun(store, root);
  const below = new Set((await subtreeOf(store, top)).map(({ id }) => id));
  const tree = emptyTreeUsage(top.id);
  for await (const event of treeEvents(store, top.rootRunId))
    if (below.has(event.runId)) applyTreeUsage(tree, event, 1);
  return tree;
}

async function* storedTrees(store: Store, since: number | undefined): AsyncGenerator<TreeUsage> {
  let cursor: string | undefined;
  do {
    const page = await store.usage.trees({ since, cursor, limit: PAGE });
    yield* page.trees;
    cursor = page.nextCursor;
    // SQLite answers synchronously. Without this pause, a long report would block the runs that this process drives.
    await nextTurn();
  } while (cursor !== undefined);
}
