// Usage over all runs, and usage of each tree.

import type { RunId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { emptyUsage, type RunUsage } from "../../projections/usage/run-usage.ts";
import type { TreeUsage } from "../../projections/usage/tree-usage.ts";
import { listMessages, listTreeUsages } from "../derived-lists.ts";
import type { Store, StoreTotals, TreeTotal } from "../store.ts";
import { runLater } from "../transaction/transaction.ts";
import { manyRows, type Read, type Sql } from "./sql.ts";

export const usageReads = (read: Read, catchUp: (table: "tree_usages") => Promise<void>): Store["usage"] => ({
  totals: () => read(countTotals),
  treeTotals: (roots) => read((sql) => treeTotals(sql, roots)),
  async trees(filter) {
    await catchUp("tree_usages");
    return read((sql) => runLater(listTreeUsages(sql, filter)));
  },
  messages: (filter) => read((sql) => runLater(listMessages(sql, filter))),
});

async function countTotals(sql: Sql): Promise<StoreTotals> {
  const totals: StoreTotals = {
    runs: {},
    approvals: 0,
    modelCalls: 0,
    toolCalls: 0,
    input: 0,
    output: 0,
    cost: 0,
    bytes: 0,
  };
  for (const columns of await sql.all(COUNT)) {
    totals.runs[columns["status"] as RunRow["status"]] = columns["runs"] as number;
    for (const name of SUMS) totals[name] += columns[name.toLowerCase()] as number;
  }
  const rest = await sql.get(REST);
  totals.approvals = rest!["approvals"] as number;
  totals.bytes = rest!["bytes"] as number;
  return totals;
}

const SUMS = ["modelCalls", "toolCalls", "input", "output", "cost"] as const;

const sumOf = (name: string) =>
  `coalesce(sum((usage::json ->> '${name}')::double precision), 0) AS ${name.toLowerCase()}`;

const COUNT = `SELECT status, count(*) AS runs, ${SUMS.map(sumOf).join(", ")} FROM runs GROUP BY status`;

/** Number of open items, and size of the tables. Other schemas of the database do not count. */
const REST = `SELECT (SELECT count(*) FROM approvals) AS approvals, coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;

const USAGE = Object.keys(emptyUsage()) as (keyof RunUsage)[];

const sum = (name: string) => `sum((usage::json ->> '${name}')::double precision) AS "${name}"`;

const TREES = `SELECT root, count(*) AS runs, ${USAGE.map(sum).join(", ")}
  FROM runs WHERE root = ANY($1) GROUP BY root`;

async function treeTotals(sql: Sql, roots: readonly RunId[]): Promise<Map<RunId, TreeTotal>> {
  const found = await sql.all(TREES, roots);
  return new Map(
    found.map((columns) => {
      const usage = emptyUsage();
      for (const name of USAGE) usage[name] = columns[name] as number;
      return [columns["root"] as string, { runs: columns["runs"] as number, usage }];
    }),
  );
}

export async function rootsOf(sql: Sql, runIds: readonly RunId[]): Promise<Map<RunId, RunId>> {
  const rows = await sql.all("SELECT id, root FROM runs WHERE id = ANY($1)", runIds);
  return new Map(rows.map(({ id, root }) => [id as RunId, root as RunId]));
}

export async function readTreeUsages(sql: Sql, roots: readonly RunId[]): Promise<Map<RunId, TreeUsage>> {
  const rows = await sql.all("SELECT root, usage FROM tree_usages WHERE root = ANY($1)", roots);
  return new Map(rows.map(({ root, usage }) => [root as RunId, JSON.parse(usage as string) as TreeUsage]));
}

export async function writeTreeUsages(sql: Sql, trees: ReadonlyMap<RunId, TreeUsage>): Promise<void> {
  const rows = Array.from(trees, ([root, tree]) => ({
    root,
    updated_at: tree.updatedAt,
    usage: JSON.stringify(tree),
  }));
  if (rows.length > 0) await sql.run(UPSERT, manyRows(rows));
}

const UPSERT = `INSERT INTO tree_usages SELECT * FROM json_populate_recordset(NULL::tree_usages, $1::json)
  ON CONFLICT (root) DO UPDATE SET updated_at = excluded.updated_at, usage = excluded.usage`;
