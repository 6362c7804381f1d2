// What was spent, and how delegations went: of all runs, or of one and everything below it. How the latest runs of each
// agent went is read from rows alone.

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
import { Count, named, RunUsageView } from "./schemas.ts";

export const UsageQuery = named(
  "UsageQuery",
  z.strictObject({
    /** A run: it and all its descendants. */
    root: z.string().min(1).exactOptional(),
    /** Milliseconds since the epoch: what happened before does not count. Of all runs, to the quarter of an hour. */
    since: Count.exactOptional(),
    /** Milliseconds: also by when, in stretches of this length from `since` on. */
    every: Count.pipe(z.int().min(60_000)).exactOptional(),
  }),
);

export interface UsageFilter {
  root?: string;
  since?: number;
  every?: number;
}

const spent = RunUsageView.omit({ toolCalls: true, activeMs: true });

const OverTime = z.object({
  /** Milliseconds of one stretch. */
  every: z.number(),
  /** Only where something was, in the order of time. */
  spent: z.array(spent.extend({ from: z.number(), agent: z.string(), model: z.string(), turns: z.int() })),
  runs: z.array(
    z.object({
      from: z.number(),
      started: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      /** Of the deepest run that was started. */
      depth: z.int(),
    }),
  ),
  trees: z.object({
    completed: z.int(),
    /** Of those: nobody had to decide or answer anything in them. */
    withoutPeople: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    /** How many runs were started at each depth. */
    depths: z.array(z.int()),
    /** Milliseconds of work of all runs, and in which at least one run of its tree was at work. */
    workMs: z.number(),
    busyMs: z.number(),
    /** Trees in which an agent reviewed (its name says review, critic or audit), and how many such runs there were. */
    reviewed: z.int(),
    reviews: z.int(),
    /** Trees of several runs: what they used, and what one agent alone would have, by an estimate. */
    together: z.object({
      trees: z.int(),
      tokens: z.number(),
      cost: z.number(),
      singleTokens: z.number(),
      /** Null: the price of a token of a top run is not known. */
      singleCost: z.number().nullable(),
    }),
  }),
});

export const Usage = named(
  "Usage",
  z.object({
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
    /** Only where `every` was asked for. */
    overTime: OverTime.exactOptional(),
  }),
);

export type UsageView = z.infer<typeof Usage>;

export const tallyFields = {
  runs: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  /** Of those that completed or failed. */
  successRate: z.number().nullable(),
  turns: z.int(),
  tokens: z.number(),
  cost: z.number(),
  unpriced: z.number(),
  activeMs: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
};

/** What was looked at: the latest runs, and whether there are older ones. */
export const lookedFields = { runs: z.int(), more: z.boolean() };

export const Activity = named(
  "Activity",
  z.object({ agents: z.array(z.object({ agent: z.string(), ...tallyFields })), ...lookedFields }),
);
export type Activity = z.infer<typeof Activity>;

export function usageRoutes({ store }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/usage",
        summary:
          "What was spent, by agent, model and delegation; with `every` also by when, and how trees went",
        query: UsageQuery,
        answer: Usage,
      },
      ({ query }) => readUsage(store, query),
    ),
    route(
      {
        method: "get",
        path: "/api/activity",
        summary: "How the latest runs of each agent went",
        answer: Activity,
        etag: true,
      },
      async () => {
        const { rows, more } = await latestRuns(store);
        return { agents: talliesByAgent(rows), runs: rows.length, more };
      },
    ),
  ];
}

// The usage of all runs, or of one and everything below it. That of all runs is added up from what the store keeps of each
// tree: what it costs grows with the trees of the report, not with their journals.
const PAGE = 2_000;

export async function readUsage(store: Store, filter: UsageFilter): Promise<UsageView> {
  const { root, every } = filter;
  const since = root === undefined ? bucketOf(filter.since) : filter.since;
  const report = createUsageReport({ since, every });
  if (root !== undefined) report.add(await usageBelow(store, root));
  else for await (const tree of keptTrees(store, since)) report.add(tree);
  return report.view();
}

const bucketOf = (ts = 0): number => Math.floor(ts / BUCKET_MS) * BUCKET_MS;

/** Exact: a bucket is a millisecond. */
async function usageBelow(store: Store, root: string): Promise<TreeUsage> {
  const top = await findRun(store, root);
  const below = new Set((await subtreeOf(store, top)).map(({ id }) => id));
  const tree = emptyTreeUsage(top.id);
  for await (const event of treeEvents(store, top.rootRunId))
    if (below.has(event.runId)) applyTreeUsage(tree, event, 1);
  return tree;
}

async function* keptTrees(store: Store, since: number | undefined): AsyncGenerator<TreeUsage> {
  let cursor: string | undefined;
  do {
    const page = await store.usage.trees({ since, cursor, limit: PAGE });
    yield* page.trees;
    cursor = page.nextCursor;
    // The store answers without leaving this turn: a long report must not hold up the runs that are driven.
    await nextTurn();
  } while (cursor !== undefined);
}
