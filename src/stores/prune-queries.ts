// The statements for finding and deleting whole trees that both stores share (transaction/prune.ts).

import type { RunId } from "../ids.ts";
import { type CommonSql, type CommonValue, idsIn } from "./common-queries.ts";
import { createParameters, isOneOf } from "./run-lists.ts";
import type { PruneFilter } from "./store.ts";
import type { Answer } from "./transaction/queries.ts";
import { ask, mapAnswer, type Steps } from "./transaction/transaction.ts";

export interface NumberedRun {
  n: number;
  id: RunId;
}

/** Finds trees that can be deleted. `workspaceColumn` is the SQL expression for the workspace in a row of `runs`. */
export function findPrunable(
  sql: CommonSql,
  { before = Number.MAX_SAFE_INTEGER, status, root, workspace }: PruneFilter,
  { below, limit, workspaceColumn }: { below: number; limit: number; workspaceColumn: string },
): Answer<NumberedRun[]> {
  const { values, parameter } = createParameters();
  const time = parameter(before);
  const conditions = [
    `n < ${parameter(below)} AND root = id AND ended_at < ${time}`,
    `NOT EXISTS (SELECT 1 FROM runs WHERE root = tree.id AND (ended_at IS NULL OR ended_at >= ${time}))`,
    "NOT EXISTS (SELECT 1 FROM runs WHERE budget = tree.budget AND ended_at IS NULL)",
  ];
  if (status) conditions.push(isOneOf("status", status, parameter));
  if (root !== undefined) conditions.push(`id = ${parameter(root)}`);
  if (workspace !== undefined) conditions.push(`${workspaceColumn} = ${parameter(workspace)}`);
  const text = `SELECT n, id FROM runs AS tree WHERE ${conditions.join(" AND ")} ORDER BY n DESC LIMIT ${parameter(limit)}`;
  return sql.all(text, ...values) as unknown as Answer<NumberedRun[]>;
}

/** The roots of other trees that continue a run of this tree. */
export const findContinuing = (sql: CommonSql, root: RunId): Answer<RunId[]> =>
  mapAnswer(
    sql.all(
      "SELECT DISTINCT root AS id FROM runs WHERE continues IN (SELECT id FROM runs WHERE root = $1) AND root <> $1",
      root,
    ),
    idsIn,
  );

export const findNextPruned = (sql: CommonSql): Answer<NumberedRun | undefined> =>
  sql.get("SELECT run AS n, id FROM pruned ORDER BY run DESC LIMIT 1") as unknown as Answer<
    NumberedRun | undefined
  >;

/** Deletes the rows of a tree, and returns the ids of its runs. */
export function* deleteTreeRows(sql: CommonSql, root: RunId): Steps<RunId[]> {
  for (const text of DELETE_TREE) yield* ask(sql.run(text, root));
  return idsIn(yield* ask(sql.all("DELETE FROM runs WHERE root = $1 RETURNING id", root)));
}

const DELETE_TREE = [
  "INSERT INTO pruned (run, id) SELECT n, id FROM runs WHERE root = $1",
  "DELETE FROM approvals WHERE run IN (SELECT n FROM runs WHERE root = $1)",
  "UPDATE grants SET run_id = runs.id, run = 0 FROM runs WHERE runs.root = $1 AND grants.run = runs.n",
  "DELETE FROM idempotency WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM quarantine WHERE run IN (SELECT id FROM runs WHERE root = $1)",
  "DELETE FROM budgets WHERE root = $1",
  "DELETE FROM tree_usages WHERE root = $1",
];

export function* deleteLastRows(sql: CommonSql, n: number): Steps<void> {
  const deletions: [text: string, value: CommonValue][] = [
    ["DELETE FROM refs WHERE run = $1", n],
    ["DELETE FROM pruned WHERE run = $1", n],
  ];
  for (const [text, value] of deletions) yield* ask(sql.run(text, value));
}
