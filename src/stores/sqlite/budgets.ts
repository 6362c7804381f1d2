// What a run and its tree may still spend (B2, B3). A tree's budget is one for all of its runs, so what a person says
// about it is kept here: it binds runs that never heard of it, and lets every run go on that stopped for it.

import type { RunId } from "../../ids.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import {
  closeTo,
  decisionKey,
  exceeded,
  isTreeLimit,
  type Spending,
  type TreeStop,
  toldOf,
  treeWordIn,
} from "../../projections/tree-budget.ts";
import { totalTokens } from "../../projections/usage.ts";
import { budgetOf, type Held } from "../held.ts";
import type { Append, Appended, Budget } from "../store.ts";
import type { Statements } from "./rows.ts";

/** The batch, as far as this needs it. */
interface Rows {
  readonly statements: Statements;
  find(runId: RunId): Held | undefined;
  keysOf(held: Held): ReadonlyMap<string, number>;
  signal(held: Held, events: readonly EventBody[]): void;
  writeRows(): void;
}

export interface Verdict {
  refused?: Pick<Appended, "refused" | "exceeded">;
  /** What the root is to be told, if the call begins. */
  warnings?: EventBody[];
}

export function askBudget(
  rows: Rows,
  held: Held,
  { estimate, run, tree: given, anew }: NonNullable<Append["reserve"]>,
): Verdict {
  const own = { tokens: totalTokens(held.row.usage), cost: held.row.usage.cost };
  const beyondOwn = exceeded(own, estimate, run);
  if (beyondOwn) return { refused: { refused: "budget", exceeded: beyondOwn } };
  if (given.maxTokens === undefined && given.maxCost === undefined) return {};
  const tree = anew ? given : { ...given, ...raisedFor(rows, held) };
  const { spent, withOpen } = treeSpending(rows, held, own);
  const beyondTree = exceeded(spent, estimate, tree, "tree.");
  if (beyondTree) return { refused: { refused: "budget", exceeded: beyondTree } };
  if (exceeded(withOpen, estimate, tree)) return { refused: { refused: "reserved" } };
  return { warnings: closeTo(spent, tree) };
}

/** Once in a tree, in the journal of its root. */
export function warnRoot(rows: Rows, held: Held, warnings: readonly EventBody[]): void {
  const root = warnings.length === 0 ? undefined : rows.find(held.row.rootRunId);
  if (!root || root.row.endedAt !== undefined) return;
  const news = warnings.filter((warning) => !rows.keysOf(root).has(keyOf(warning)));
  if (news.length > 0) rows.signal(root, news);
}

/** A person's word on the budget of a tree: from now on it is the budget, and whoever stopped for it goes on. */
export function raiseTree(rows: Rows, held: Held, events: readonly EventBody[]): void {
  const word = treeWordIn(events);
  if (!word) return;
  const { maxTokens, maxCost } = word.payload.limits!;
  rows.statements.raiseBudget.run(budgetOf(held.row), maxTokens ?? null, maxCost ?? null);
  rows.writeRows();
  for (const { id } of rows.statements.aliveOf.all(budgetOf(held.row))) {
    const other = rows.find(id as RunId)!;
    if (other.row.cancelRequested) continue;
    const told = toldOf(word, undecided(rows, other));
    if (word.type === "BUDGET_SET" && other !== held) told.unshift(word);
    if (told.length > 0) rows.signal(other, told);
  }
}

/** Stops at the tree's budget that nobody has decided on. */
function undecided(rows: Rows, held: Held): TreeStop[] {
  const keys = rows.keysOf(held);
  return [...keys].flatMap(([key, seq]) => {
    if (!key.startsWith("limit/budget/")) return [];
    const stored = rows.statements.eventBySeq.get(held.n, seq)!;
    const stop = JSON.parse(stored["payload"] as string) as Payload<"LIMIT_REACHED">;
    return isTreeLimit(stop.limit) && !keys.has(decisionKey(stop.itemId!)) ? [stop] : [];
  });
}

function raisedFor({ statements }: Rows, { row }: Held): Budget {
  const raised = statements.raisedBudget.get(budgetOf(row));
  const { max_tokens: maxTokens = null, max_cost: maxCost = null } = raised ?? {};
  return {
    ...(maxTokens === null ? {} : { maxTokens: maxTokens as number }),
    ...(maxCost === null ? {} : { maxCost: maxCost as number }),
  };
}

function treeSpending(rows: Rows, held: Held, own: Spending): { spent: Spending; withOpen: Spending } {
  rows.writeRows();
  const others = rows.statements.treeSpend.get(budgetOf(held.row), held.n) as Record<string, number>;
  const spent = { tokens: own.tokens + others["tokens"]!, cost: own.cost + others["cost"]! };
  const withOpen = {
    tokens: spent.tokens + others["open_tokens"]!,
    cost: spent.cost + others["open_cost"]!,
  };
  return { spent, withOpen };
}
