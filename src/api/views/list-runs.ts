// Reads one page of the list of runs.
// Adds to each row: the totals of its tree, the runs it waits for, whether its questions are answered, and the first search hit.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { blockersOf } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { HIT_KINDS, type SearchHit, searchHit } from "../../projections/formats/search-hit.ts";
import { type RunUsage, totalTokens } from "../../projections/usage/run-usage.ts";
import type { RunFilter, Store, TreeTotal } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import {
  MAX_PAGE,
  namedObject,
  nameSchema,
  nextCursor,
  RunSummary,
  RunUsageView,
} from "../routes/schemas.ts";
import { markAnswered } from "./answered-runs.ts";
import { storedAgentName } from "./find-agent.ts";
import { unlessDamaged } from "./read-runs.ts";

export const ListedRun = nameSchema(
  "ListedRun",
  RunSummary.extend({
    /** Totals of the whole tree. Present only for root runs. */
    tree: z.object({ runs: z.int(), usage: RunUsageView }).optional(),
    /** Some runs that this run waits for, or some descendants that need a person. */
    awaited: z.array(z.object({ id: z.string(), agent: z.string() })).optional(),
    /** Number of the first event that matches the search. */
    hit: z.int().optional(),
    /** The passage that matches the search, in pieces, and the part of the run that contains it. */
    excerpt: z
      .object({
        kind: z.enum(HIT_KINDS),
        parts: z.array(z.object({ text: z.string(), isMatch: z.boolean() })),
      })
      .optional(),
  }),
);
export type ListedRun = z.infer<typeof ListedRun>;

export const RunPage = namedObject("RunPage", {
  runs: z.array(ListedRun),
  nextCursor,
  /** Number of matches on all pages, if requested. */
  total: z.int().optional(),
});
export type RunPage = z.infer<typeof RunPage>;

export const RUN_ORDERS = ["relevance", "started", "duration", "cost", "tokens", "agent", "status"] as const;
export type RunOrder = (typeof RUN_ORDERS)[number];

export type ListFilter = RunFilter & { order?: RunOrder; ascending?: boolean; total?: boolean };

type Parts = Pick<ApiParts, "store" | "agents">;

export async function listRuns(
  parts: Parts,
  { order, ascending, total, agent, ...others }: ListFilter,
): Promise<RunPage> {
  const { store } = parts;
  const storedName = agent === undefined ? undefined : await storedAgentName(parts, agent);
  const filter = { ...others, ...omitUndefined({ agent: storedName }) };
  const { cursor: _, ...whole } = filter;
  const [page, count] = await Promise.all([
    readPage(store, filter, { order, ascending: ascending ?? false }),
    total ? store.runs.count(whole) : undefined,
  ]);
  const ids = page.runs.map(({ id }) => id);
  const [totals, awaited, rows] = await Promise.all([
    store.usage.treeTotals(
      page.runs.flatMap(({ id, parentRunId }) => (parentRunId === undefined ? [id] : [])),
    ),
    Promise.all(page.runs.map((row) => awaitedBy(store, row))),
    markAnswered(store, page.runs),
  ]);
  const hits = page.hits ?? (filter.q === undefined ? undefined : await findHits(store, filter.q, ids));
  return {
    nextCursor: page.nextCursor,
    runs: rows.map((row, index): ListedRun => {
      const [tree, hit, names] = [totals.get(row.id), hits?.get(row.id), awaited[index]!];
      return {
        ...row,
        ...omitUndefined({ tree, hit: hit?.seq, excerpt: hit?.excerpt }),
        ...(names.length === 0 ? {} : { awaited: names }),
      };
    }),
    ...omitUndefined({ total: count }),
  };
}

interface Page {
  runs: RunRow[];
  nextCursor: string | undefined;
  /** The hits of a search, if they were needed for the order. */
  hits?: ReadonlyMap<string, Hit>;
}

/** The event that a search found. Without an excerpt, the event cannot be read. */
interface Hit {
  seq: number;
  excerpt?: Pick<SearchHit, "kind" | "parts">;
  score: number;
}

/** Maximum number of matches that are sorted by relevance. Each needs one event of its journal. */
const MOST_RANKED = 200;

/** Sorts only the latest runs. Clients request the list after every event, so its cost must not grow with the store. */
async function readPage(
  store: Store,
  filter: RunFilter,
  { order, ascending }: { order: RunOrder | undefined; ascending: boolean },
): Promise<Page> {
  if (order === undefined) return store.runs.list(filter);
  const { limit = MAX_PAGE, cursor: _, q, ...others } = filter;
  const matches = omitUndefined({ ...others, q });
  if (order === "relevance") {
    if (q === undefined)
      throw new CadreError("BAD_REQUEST", "`order=relevance` needs words to search for, in `q`.");
    const { runs } = await store.runs.list({ ...matches, limit: MOST_RANKED });
    const ids = runs.map(({ id }) => id);
    const hits = await findHits(store, q, ids);
    const scoreOf = ({ id }: RunRow): number => hits.get(id)?.score ?? 0;
    return { runs: sorted(runs, scoreOf, ascending).slice(0, limit), nextCursor: undefined, hits };
  }
  const { runs } = await store.runs.list({ ...matches, limit: MAX_PAGE });
  const totals = await store.usage.treeTotals(runs.map(({ id }) => id));
  const usageOf = (row: RunRow): RunUsage => (totals.get(row.id) ?? (row as Pick<TreeTotal, "usage">)).usage;
  const now = store.clock.now();
  const value: Record<Exclude<RunOrder, "relevance">, (row: RunRow) => number | string> = {
    started: ({ createdAt }) => createdAt,
    duration: ({ createdAt, endedAt = now }) => endedAt - createdAt,
    cost: (row) => usageOf(row).cost,
    tokens: (row) => totalTokens(usageOf(row)),
    agent: ({ agent }) => agent,
    status: ({ status }) => status,
  };
  return { runs: sorted(runs, value[order], ascending).slice(0, limit), nextCursor: undefined };
}

/** Runs with equal values stay in the order of the list. */
function sorted(
  runs: readonly RunRow[],
  value: (row: RunRow) => number | string,
  ascending: boolean,
): RunRow[] {
  const way = ascending ? 1 : -1;
  return runs
    .map((row) => ({ row, at: value(row) }))
    .sort((a, b) => (a.at < b.at ? -way : a.at > b.at ? way : 0))
    .map(({ row }) => row);
}

/** The best event of each run, with the passage that contains the words. Reads one event of each journal. */
async function findHits(store: Store, q: string, ids: readonly string[]): Promise<Map<string, Hit>> {
  const found = await store.runs.firstHits(q, ids);
  const hits = new Map<string, Hit>();
  for (const [id, seq] of found) {
    const [event] = await unlessDamaged(
      () => store.journal.read(id, seq - 1, 1),
      () => [],
    );
    const hit = event && searchHit(event, q);
    if (!hit) hits.set(id, { seq, score: 0 });
    else hits.set(id, { seq, score: hit.score, excerpt: { kind: hit.kind, parts: hit.parts } });
  }
  return hits;
}

const MOST_NAMES = 3;

async function awaitedBy(store: Store, row: RunRow): Promise<NonNullable<ListedRun["awaited"]>> {
  const kind = row.waitingOn?.kind;
  if (kind !== "child" && kind !== "handoff" && kind !== "child_hitl") return [];
  const ids = kind === "child_hitl" ? blockersOf(row) : (row.waitingOn?.items ?? []);
  const runs = await Promise.all(ids.slice(0, MOST_NAMES).map((id) => store.runs.get(id)));
  return runs.flatMap((run) => (run ? [{ id: run.id, agent: run.agent }] : []));
}
