// Reports usage: tokens, cost and delegations of all runs, or of one run with its descendants. A second route lists the results of
// each agent's latest runs, from their rows alone.

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
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, latestRuns, subtreeOf, treeEvents } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject, RunUsageView } from "./schemas.ts";

export const UsageQuery = z.strictObject({
  /** Only this run and its descendants. */
  root: z.string().min(1).exactOptional(),
  /** Start of the report, in milliseconds since the epoch. A report on all runs rounds it down to a quarter of an hour. */
  since: Count.exactOptional(),
  /** Length of an interval in milliseconds. If given, the report also has the usage of each interval from `since` on. */
  every: Count.pipe(z.int().min(60_000)).exactOptional(),
});

export type UsageFilter = z.output<typeof UsageQuery>;

const spent = RunUsageView.omit({ toolCalls: true, activeMs: true });

const OverTime = z.object({
  /** Length of an interval in milliseconds. */
  every: z.number(),
  /** Usage of each interval, in the order of time. Empty intervals are left out. */
  spent: z.array(spent.extend({ from: z.number(), agent: z.string(), model: z.string(), turns: z.int() })),
  runs: z.array(
    z.object({
      from: z.number(),
      started: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      /** Depth of the deepest run that started. */
      depth: z.int(),
    }),
  ),
  trees: z.object({
    completed: z.int(),
    /** Number of completed trees in which no person had to decide or answer anything. */
    withoutPeople: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    /** Number of runs started at each depth. */
    depths: z.array(z.int()),
    /** Working time of all runs added up, and the time during which at least one run of a tree worked. */
    workMs: z.number(),
    busyMs: z.number(),
    /** Number of trees with a reviewing agent (review, critic or audit in its name), and of runs of such agents. */
    reviewed: z.int(),
    reviews: z.int(),
    /** Trees of several runs: their usage, and an estimate for one agent alone. */
    together: z.object({
      trees: z.int(),
      tokens: z.number(),
      cost: z.number(),
      singleTokens: z.number(),
      /** Null if the token price of a root run is unknown. */
      singleCost: z.number().nullable(),
    }),
  }),
});

export const Usage = namedObject("Usage", {
  byAgent: z.array(RunUsageView.extend({ agent: z.string(), runs: z.int() })),
  byModel: z.array(RunUsageView.omit({ toolCalls: true }).extend({ model: z.string() })),
  byEdge: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      started: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      successRate: z.number().nullable(),
    }),
  ),
  /** Present if the request has `every`. */
  overTime: OverTime.exactOptional(),
});

export type UsageView = z.infer<typeof Usage>;

export const tallyFields = {
  runs: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  /** Share of completed runs among those that completed or failed. */
  successRate: z.number().nullable(),
  turns: z.int(),
  tokens: z.number(),
  cost: z.number(),
  unpriced: z.number(),
  activeMs: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
};

/** Number of runs that were read, newest first, and whether there are older ones. */
export const lookedFields = { runs: z.int(), more: z.boolean() };

export const Activity = namedObject("Activity", {
  agents: z.array(z.object({ agent: z.string(), ...tallyFields })),
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

/** A report on all runs adds up the totals that the store keeps for each tree, so that no journals are read. */
export async function readUsage(store: Store, filter: UsageFilter): Promise<UsageView> {
  const { root, every } = filter;
  const since = root === undefined ? bucketOf(filter.since) : filter.since;
  const report = createUsageReport({ since, every });
  if (root !== undefined) report.add(await usageBelow(store, root));
  else for await (const tree of storedTrees(store, since)) report.add(tree);
  return report.view();
}

const bucketOf = (ts = 0): number => Math.floor(ts / BUCKET_MS) * BUCKET_MS;

/** Folds the usage from the journals. Buckets of one millisecond make it exact. */
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
    // SQLite answers synchronously. Without this pause a long report would block the runs that this process drives.
    await nextTurn();
  } while (cursor !== undefined);
}
