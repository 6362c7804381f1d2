// Reads one page of the list of runs.
// Adds to each row: the totals of its tree, the runs it waits for, whether its questions are answered, and the first search hit.

import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import { blockersOf } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
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

export const ListedRun = nameSchema(
  "ListedRun",
  RunSummary.extend({
    /** Totals of the whole tree. Present only for root runs. */
    tree: z.object({ runs: z.int(), usage: RunUsageView }).optional(),
    /** Some runs that this run waits for, or some descendants that need a person. */
    awaited: z.array(z.object({ id: z.string(), agent: z.string() })).optional(),
    /** Number of the first event that matches the search. */
    hit: z.int().optional(),
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

export type ListFilter = RunFilter & { order?: "cost"; total?: boolean };

type Parts = Pick<ApiParts, "store" | "agents">;

export async function listRuns(
  parts: Parts,
  { order, total, agent, ...others }: ListFilter,
): Promise<RunPage> {
  const { store } = parts;
  const storedName = agent === undefined ? undefined : await storedAgentName(parts, agent);
  const filter = { ...others, ...omitUndefined({ agent: storedName }) };
  const { cursor: _, ...whole } = filter;
  const [page, count] = await Promise.all([
    order === "cost" ? mostExpensive(store, whole) : store.runs.list(filter),
    total ? store.runs.count(whole) : undefined,
  ]);
  const ids = page.runs.map(({ id }) => id);
  const [totals, awaited, rows, hits] = await Promise.all([
    store.usage.treeTotals(
      page.runs.flatMap(({ id, parentRunId }) => (parentRunId === undefined ? [id] : [])),
    ),
    Promise.all(page.runs.map((row) => awaitedBy(store, row))),
    markAnswered(store, page.runs),
    filter.q === undefined ? undefined : store.runs.firstHits(filter.q, ids),
  ]);
  return {
    ...page,
    runs: rows.map((row, index): ListedRun => {
      const [tree, hit, names] = [totals.get(row.id), hits?.get(row.id), awaited[index]!];
      return {
        ...row,
        ...omitUndefined({ tree, hit }),
        ...(names.length === 0 ? {} : { awaited: names }),
      };
    }),
    ...omitUndefined({ total: count }),
  };
}

/** Sorts only the latest runs. Clients request the list after every event, so its cost must not grow with the store. */
async function mostExpensive(
  store: Store,
  { limit = MAX_PAGE, ...filter }: RunFilter,
): Promise<{ runs: RunRow[]; nextCursor: undefined }> {
  const { runs } = await store.runs.list({ ...filter, limit: MAX_PAGE });
  const totals = await store.usage.treeTotals(runs.map(({ id }) => id));
  const costOf = (row: RunRow): number =>
    (totals.get(row.id) ?? (row as Pick<TreeTotal, "usage">)).usage.cost;
  runs.sort((left, right) => costOf(right) - costOf(left));
  return { runs: runs.slice(0, limit), nextCursor: undefined };
}

const MOST_NAMES = 3;

async function awaitedBy(store: Store, row: RunRow): Promise<NonNullable<ListedRun["awaited"]>> {
  const kind = row.waitingOn?.kind;
  if (kind !== "child" && kind !== "handoff" && kind !== "child_hitl") return [];
  const ids = kind === "child_hitl" ? blockersOf(row) : (row.waitingOn?.items ?? []);
  const runs = await Promise.all(ids.slice(0, MOST_NAMES).map((id) => store.runs.get(id)));
  return runs.flatMap((run) => (run ? [{ id: run.id, agent: run.agent }] : []));
}
