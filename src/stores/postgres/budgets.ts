// What a run and its tree may still spend (B2, B3). A tree's budget is one for all of its runs, so what a person says
// about it is kept here: it binds runs that never heard of it, and lets every run go on that stopped for it.

import type { RunId } from "../../ids.ts";
import type { EventBody } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import { treeBudgetChangeIn } from "../../projections/usage/tree-budget.ts";
import { payerOf, type RunRecord } from "../run-record.ts";
import type { Append } from "../store.ts";
import {
  budgetNewsFor,
  budgetStops,
  checkOwnBudget,
  checkTreeBudget,
  undecidedStops,
} from "../transaction/budget-rules.ts";
import type { EventRows } from "./batch-events.ts";

/** The batch, as far as this needs it. */
interface Rows extends Pick<EventRows, "sql" | "find" | "keysOf" | "eventBySeq" | "writeRows"> {
  signal(held: RunRecord, events: readonly EventBody[]): Promise<void>;
}

export async function askBudget(rows: Rows, held: RunRecord, reserve: NonNullable<Append["reserve"]>) {
  const verdict = checkOwnBudget(held, reserve);
  if (verdict) return verdict;
  await rows.writeRows();
  const payer = payerOf(held.row);
  return checkTreeBudget(held, reserve, {
    raised: await rows.sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = $1", payer),
    others: await rows.sql.get(SPENT, payer, held.n),
  });
}

/** Once in a tree, in the journal of its root. */
export async function warnRoot(rows: Rows, held: RunRecord, warnings: readonly EventBody[]): Promise<void> {
  const root = warnings.length === 0 ? undefined : await rows.find(held.row.rootRunId);
  if (!root || root.row.endedAt !== undefined) return;
  const keys = await rows.keysOf(root);
  const news = warnings.filter((warning) => !keys.has(keyOf(warning)));
  if (news.length > 0) await rows.signal(root, news);
}

/** A person's word on the budget of a tree: from now on it is the budget, and whoever stopped for it goes on. */
export async function raiseTree(rows: Rows, held: RunRecord, events: readonly EventBody[]): Promise<void> {
  const word = treeBudgetChangeIn(events);
  if (!word) return;
  const { maxTokens, maxCost } = word.payload.limits!;
  await rows.sql.run(RAISE, payerOf(held.row), maxTokens ?? null, maxCost ?? null);
  await rows.writeRows();
  for (const { id } of await rows.sql.all(ALIVE, payerOf(held.row))) {
    const other = (await rows.find(id as RunId))!;
    const keys = await rows.keysOf(other);
    const found = [];
    for (const seq of budgetStops(keys)) found.push((await rows.eventBySeq(other, seq))!);
    const told = budgetNewsFor(word, {
      row: other.row,
      saidTo: held.row,
      stops: undecidedStops(keys, found),
    });
    if (told.length > 0) await rows.signal(other, told);
  }
}

const ALIVE = "SELECT id FROM runs WHERE budget = $1 AND ended_at IS NULL ORDER BY n";

const SPENT = `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(open_tokens), 0) AS open_tokens, coalesce(sum(open_cost), 0) AS open_cost
  FROM runs WHERE budget = $1 AND n <> $2`;

export const RAISE = `INSERT INTO budgets (root, max_tokens, max_cost) VALUES ($1, $2, $3) ON CONFLICT (root) DO UPDATE SET
  max_tokens = coalesce(excluded.max_tokens, budgets.max_tokens), max_cost = coalesce(excluded.max_cost, budgets.max_cost)`;
