// The table of what each tree has used. No append writes to it: whoever asks first lets it catch up with the journals, page
// by page, each page one transaction with the place that it leads to.

import type { Position, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { applyTreeUsage, emptyTreeUsage, type TreeUsage } from "../../projections/usage/tree-usage.ts";
import type { TreeUsageFilter } from "../store.ts";
import { getMeta, type Sql, setMeta } from "./sql.ts";

const PAGE_EVENTS = 2_000;

/** Where the table stands. */
export const usageUpTo = (sql: Sql): Position => Number(getMeta(sql, "tree_usages") ?? 0);

/** Takes in the next page; false: there was none. */
export function usagePage(sql: Sql, read: (after: Position, limit: number) => JournalEvent[]): boolean {
  const events = read(usageUpTo(sql), PAGE_EVENTS);
  const last = events.at(-1);
  if (!last) return false;
  const roots = new Map<RunId, RunId | undefined>();
  const trees = new Map<RunId, TreeUsage>();
  for (const event of events) {
    if (!roots.has(event.runId)) roots.set(event.runId, rootOf(sql, event.runId));
    // One that is being pruned is gone already.
    const root = roots.get(event.runId);
    if (root === undefined) continue;
    const tree = trees.get(root) ?? keptOf(sql, root);
    trees.set(root, applyTreeUsage(tree, event));
  }
  for (const [root, tree] of trees) sql.run(UPSERT, root, tree.updatedAt, JSON.stringify(tree));
  setMeta(sql, "tree_usages", String(last.position));
  return true;
}

export function listTreeUsages(sql: Sql, { since = 0, cursor = "", limit }: TreeUsageFilter) {
  const found = sql.all(
    "SELECT root, usage FROM tree_usages WHERE root > ? AND updated_at >= ? ORDER BY root LIMIT ?",
    cursor,
    since,
    limit,
  );
  const trees = found.map(({ usage }) => JSON.parse(usage as string) as TreeUsage);
  return { trees, nextCursor: found.length < limit ? undefined : (found.at(-1)!["root"] as string) };
}

const rootOf = (sql: Sql, runId: RunId): RunId | undefined =>
  sql.get("SELECT root FROM runs WHERE id = ?", runId)?.["root"] as RunId | undefined;

function keptOf(sql: Sql, root: RunId): TreeUsage {
  const kept = sql.get("SELECT usage FROM tree_usages WHERE root = ?", root);
  return kept ? (JSON.parse(kept["usage"] as string) as TreeUsage) : emptyTreeUsage(root);
}

const UPSERT = `INSERT INTO tree_usages (root, updated_at, usage) VALUES (?, ?, ?)
  ON CONFLICT (root) DO UPDATE SET updated_at = excluded.updated_at, usage = excluded.usage`;
