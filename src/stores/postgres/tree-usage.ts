// The table of what each tree has used. No append writes to it: whoever asks first lets it catch up with the journals, page
// by page, each page one transaction with the place that it leads to.

import type { RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { applyTreeUsage, emptyTreeUsage, type TreeUsage } from "../../projections/usage/tree-usage.ts";
import type { TreeUsageFilter } from "../store.ts";
import { manyRows, type Sql } from "./sql.ts";

export async function takeUsage(sql: Sql, events: readonly JournalEvent[]): Promise<void> {
  const roots = await rootsOf(sql, new Set(events.map(({ runId }) => runId)));
  const trees = await keptTrees(sql, new Set(roots.values()));
  for (const event of events) {
    // One that is being pruned is gone already.
    const root = roots.get(event.runId);
    if (root !== undefined) trees.set(root, applyTreeUsage(trees.get(root) ?? emptyTreeUsage(root), event));
  }
  const rows = Array.from(trees, ([root, tree]) => ({
    root,
    updated_at: tree.updatedAt,
    usage: JSON.stringify(tree),
  }));
  if (rows.length > 0) await sql.run(UPSERT, manyRows(rows));
}

export async function listTreeUsages(sql: Sql, { since = 0, cursor = "", limit }: TreeUsageFilter) {
  const found = await sql.all(
    "SELECT root, usage FROM tree_usages WHERE root > $1 AND updated_at >= $2 ORDER BY root LIMIT $3",
    cursor,
    since,
    limit,
  );
  const trees = found.map(({ usage }) => JSON.parse(usage as string) as TreeUsage);
  return { trees, nextCursor: found.length < limit ? undefined : (found.at(-1)!["root"] as string) };
}

async function rootsOf(sql: Sql, runIds: ReadonlySet<RunId>): Promise<Map<RunId, RunId>> {
  const rows = await sql.all("SELECT id, root FROM runs WHERE id = ANY($1)", [...runIds]);
  return new Map(rows.map(({ id, root }) => [id as RunId, root as RunId]));
}

async function keptTrees(sql: Sql, roots: ReadonlySet<RunId>): Promise<Map<RunId, TreeUsage>> {
  const rows = await sql.all("SELECT root, usage FROM tree_usages WHERE root = ANY($1)", [...roots]);
  return new Map(rows.map(({ root, usage }) => [root as RunId, JSON.parse(usage as string) as TreeUsage]));
}

const UPSERT = `INSERT INTO tree_usages SELECT * FROM json_populate_recordset(NULL::tree_usages, $1::json)
  ON CONFLICT (root) DO UPDATE SET updated_at = excluded.updated_at, usage = excluded.usage`;
