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
import type { EventRows } from "./event-rows.ts";

/** The batch, as far as this needs it. */
interface Rows extends Pick<EventRows, "sql" | "find" | "keysOf" | "eventBySeq" | "writeRows"> {
  signal(held: Held, events: readonly EventBody[]): Promise<void>;
}

export interface Verdict {
  refused?: Pick<Appended, "refused" | "exceeded">;
  /** What the root is to be told, if the call begins. */
  warnings?: EventBody[];
}

export async function askBudget(
  rows: Rows,
  held: Held,
  { estimate, run, tree: given, anew }: NonNullable<Append["reserve"]>,
): Promise<Verdict> {
  const own = { tokens: totalTokens(held.row.usage), cost: held.row.usage.cost };
  const beyondOwn = exceeded(own, estimate, run);
  if (beyondOwn) return { refused: { refused: "budget", exceeded: beyondOwn } };
  if (given.maxTokens === undefined && given.maxCost === undefined) return {};
  const tree = anew ? given : { ...given, ...(await raisedFor(rows, held)) };
  const { spent, withOpen } = await treeSpending(rows, held, own);
  const beyondTree = exceeded(spent, estimate, tree, "tree.");
  if (beyondTree) return { refused: { refused: "budget", exceeded: beyondTree } };
  if (exceeded(withOpen, estimate, tree)) return { refused: { refused: "reserved" } };
  return { warnings: closeTo(spent, tree) };
}

/** Once in a tree, in the journal of its root. */
export async function warnRoot(rows: Rows, held: Held, warnings: readonly EventBody[]): Promise<void> {
  const root = warnings.length === 0 ? undefined : await rows.find(held.row.rootRunId);
  if (!root || root.row.endedAt !== undefined) return;
  const keys = await rows.keysOf(root);
  const news = warnings.filter((warning) => !keys.has(keyOf(warning)));
  if (news.length > 0) await rows.signal(root, news);
}

/** A person's word on the budget of a tree: from now on it is the budget, and whoever stopped for it goes on. */
export async function raiseTree(rows: Rows, held: Held, events: readonly EventBody[]): Promise<void> {
  const word = treeWordIn(events);
  if (!word) return;
  const { maxTokens, maxCost } = word.payload.limits!;
  await rows.sql.run(RAISE, budgetOf(held.row), maxTokens ?? null, maxCost ?? null);
  await rows.writeRows();
  const alive = await rows.sql.all(
    "SELECT id FROM runs WHERE budget = $1 AND ended_at IS NULL ORDER BY n",
    budgetOf(held.row),
  );
  for (const { id } of alive) {
    const other = (await rows.find(id as RunId))!;
    if (other.row.cancelRequested) continue;
    const told = toldOf(word, await undecided(rows, other));
    if (word.type === "BUDGET_SET" && other !== held) told.unshift(word);
    if (told.length > 0) await rows.signal(other, told);
  }
}

/** Stops at the tree's budget that nobody has decided on. */
async function undecided(rows: Rows, held: Held): Promise<TreeStop[]> {
  const keys = await rows.keysOf(held);
  const stops: TreeStop[] = [];
  for (const [key, seq] of keys) {
    if (!key.startsWith("limit/budget/")) continue;
    const stored = (await rows.eventBySeq(held, seq))!;
    const stop = JSON.parse(stored["payload"] as string) as Payload<"LIMIT_REACHED">;
    if (isTreeLimit(stop.limit) && !keys.has(decisionKey(stop.itemId!))) stops.push(stop);
  }
  return stops;
}

async function raisedFor({ sql }: Rows, { row }: Held): Promise<Budget> {
  const raised = await sql.get("SELECT max_tokens, max_cost FROM budgets WHERE root = $1", budgetOf(row));
  const { max_tokens: maxTokens = null, max_cost: maxCost = null } = raised ?? {};
  return {
    ...(maxTokens === null ? {} : { maxTokens: maxTokens as number }),
    ...(maxCost === null ? {} : { maxCost: maxCost as number }),
  };
}

async function treeSpending(rows: Rows, held: Held, own: Spending) {
  await rows.writeRows();
  const others = (await rows.sql.get(SPENT, budgetOf(held.row), held.n)) as Record<string, number>;
  const spent = { tokens: own.tokens + others["tokens"]!, cost: own.cost + others["cost"]! };
  const withOpen = {
    tokens: spent.tokens + others["open_tokens"]!,
    cost: spent.cost + others["open_cost"]!,
  };
  return { spent, withOpen };
}

const SPENT = `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(open_tokens), 0) AS open_tokens, coalesce(sum(open_cost), 0) AS open_cost
  FROM runs WHERE budget = $1 AND n <> $2`;

export const RAISE = `INSERT INTO budgets (root, max_tokens, max_cost) VALUES ($1, $2, $3) ON CONFLICT (root) DO UPDATE SET
  max_tokens = coalesce(excluded.max_tokens, budgets.max_tokens), max_cost = coalesce(excluded.max_cost, budgets.max_cost)`;
