// Usage over all runs, and usage of each tree.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { emptyUsage, type RunUsage } from "../../projections/usage/run-usage.ts";
import { listMessages, listTreeUsages } from "../derived-lists.ts";
import type { Store, StoreTotals, TreeTotal } from "../store.ts";
import { runNow } from "../transaction/transaction.ts";
import type { Sql } from "./sql.ts";

/** Number of rows that the store counts before it pauses to let other work run. */
const ROWS_PER_TURN = 5_000;

export const usageReads = (sql: Sql, catchUp: (table: "tree_usages") => Promise<void>): Store["usage"] => ({
  totals: () => countTotals(sql),
  treeTotals: async (roots) => treeTotals(sql, roots),
  async trees(filter) {
    await catchUp("tree_usages");
    return runNow(listTreeUsages(sql, filter));
  },
  messages: async (filter) => runNow(listMessages(sql, filter)),
});

async function countTotals(sql: Sql): Promise<StoreTotals> {
  const totals: StoreTotals = {
    runs: {},
    approvals: Number(sql.get("SELECT count(*) AS open FROM approvals")!["open"]),
    modelCalls: 0,
    toolCalls: 0,
    input: 0,
    output: 0,
    cost: 0,
    bytes: sizeOf(sql),
  };
  const end = Number(sql.get("SELECT max(n) AS n FROM runs")!["n"] ?? 0);
  for (let from = 0; from < end; from += ROWS_PER_TURN) {
    if (from > 0) await nextTurn();
    for (const columns of sql.all(COUNT, from, from + ROWS_PER_TURN)) {
      const status = columns["status"] as RunRow["status"];
      totals.runs[status] = (totals.runs[status] ?? 0) + Number(columns["runs"]);
      for (const name of SUMS) totals[name] += Number(columns[name]);
    }
  }
  return totals;
}

const SUMS = ["modelCalls", "toolCalls", "input", "output", "cost"] as const;

const COUNT = `SELECT status, count(*) AS runs, ${SUMS.map((name) => `sum(usage ->> '$.${name}') AS ${name}`).join(", ")}
  FROM runs WHERE n > ? AND n <= ? GROUP BY status`;

function sizeOf(sql: Sql): number {
  const pages = sql.get("PRAGMA page_count")!["page_count"] as number;
  return pages * (sql.get("PRAGMA page_size")!["page_size"] as number);
}

const USAGE = Object.keys(emptyUsage()) as (keyof RunUsage)[];

function treeTotals(sql: Sql, roots: readonly RunId[]): Map<RunId, TreeTotal> {
  const found = sql.all(
    `SELECT root, count(*) AS runs, ${USAGE.map((name) => `sum(usage ->> '$.${name}') AS ${name}`).join(", ")}
     FROM runs WHERE root IN (SELECT value FROM json_each(?)) GROUP BY root`,
    JSON.stringify(roots),
  );
  return new Map(
    found.map((columns) => {
      const usage = emptyUsage();
      for (const name of USAGE) usage[name] = Number(columns[name]);
      return [columns["root"] as string, { runs: Number(columns["runs"]), usage }];
    }),
  );
}
