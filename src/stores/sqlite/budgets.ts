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
import type { Statements } from "./run-rows.ts";

/** The batch, as far as this needs it. */
interface Rows {
  readonly statements: Statements;
  find(runId: RunId): RunRecord | undefined;
  keysOf(held: RunRecord): ReadonlyMap<string, number>;
  signal(held: RunRecord, events: readonly EventBody[]): void;
  writeRows(): void;
}

export function askBudget(rows: Rows, held: RunRecord, reserve: NonNullable<Append["reserve"]>) {
  const verdict = checkOwnBudget(held, reserve);
  if (verdict) return verdict;
  rows.writeRows();
  const payer = payerOf(held.row);
  const { raisedBudget, treeSpend } = rows.statements;
  return checkTreeBudget(held, reserve, {
    raised: raisedBudget.get(payer),
    others: treeSpend.get(payer, held.n),
  });
}

/** Once in a tree, in the journal of its root. */
export function warnRoot(rows: Rows, held: RunRecord, warnings: readonly EventBody[]): void {
  const root = warnings.length === 0 ? undefined : rows.find(held.row.rootRunId);
  if (!root || root.row.endedAt !== undefined) return;
  const news = warnings.filter((warning) => !rows.keysOf(root).has(keyOf(warning)));
  if (news.length > 0) rows.signal(root, news);
}

/** A person's word on the budget of a tree: from now on it is the budget, and whoever stopped for it goes on. */
export function raiseTree(rows: Rows, held: RunRecord, events: readonly EventBody[]): void {
  const word = treeBudgetChangeIn(events);
  if (!word) return;
  const { maxTokens, maxCost } = word.payload.limits!;
  const { raiseBudget, aliveOf, eventBySeq } = rows.statements;
  raiseBudget.run(payerOf(held.row), maxTokens ?? null, maxCost ?? null);
  rows.writeRows();
  for (const { id } of aliveOf.all(payerOf(held.row))) {
    const other = rows.find(id as RunId)!;
    const keys = rows.keysOf(other);
    const found = budgetStops(keys).map((seq) => eventBySeq.get(other.n, seq)!);
    const told = budgetNewsFor(word, {
      row: other.row,
      saidTo: held.row,
      stops: undecidedStops(keys, found),
    });
    if (told.length > 0) rows.signal(other, told);
  }
}
