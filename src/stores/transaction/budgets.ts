// Checks how much a run and its tree can still spend (B2, B3). All runs of a tree share one budget.
// A budget that a person sets is kept in a table, so it applies to every run of the tree. Runs that stopped at the old budget continue.

import { type EventBody, keyOf, type Payload } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import {
  decisionKey,
  exceededLimit,
  isTreeLimit,
  liftTreeStops,
  type Spending,
  softLimitWarnings,
  sumOf,
  type TreeBudgetChange,
  type TreeStop,
} from "../../projections/usage/budgets.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import { payerOf, type RunRecord } from "../run-record.ts";
import type { Append, AppendResult } from "../store.ts";
import { ask, findRun, keysOf, type Steps, type Transaction } from "./transaction.ts";
import { signal } from "./write-events.ts";

export interface BudgetVerdict {
  refused?: Pick<AppendResult, "refused" | "exceeded">;
  /** Events to write to the root if the call begins. */
  warnings?: EventBody[];
}

/**
 * The run's own budget is checked first, then the budget of its tree.
 * Budget that other runs keep for their last turns is treated as spent. Budget for their open calls is only reserved, so a run can wait for it.
 */
export function* checkBudget(
  { queries }: Transaction,
  record: RunRecord,
  { estimate, lastTurn, run, tree: given, anew }: NonNullable<Append["reserve"]>,
): Steps<BudgetVerdict> {
  const own = spentBy(record.row);
  const needed = sumOf(estimate, lastTurn);
  const beyondOwn = exceededLimit({ spent: own }, needed, run);
  if (beyondOwn) return { refused: { refused: "budget", exceeded: beyondOwn } };
  if (given.maxTokens === undefined && given.maxCost === undefined) return {};
  const set = anew ? undefined : yield* ask(queries.setBudget(payerOf(record.row)));
  const tree = { ...given, ...set };
  const others = yield* ask(queries.spentByOthers(record));
  const spent = { tokens: own.tokens + others.tokens, cost: own.cost + others.cost };
  const kept = { tokens: others.keptTokens, cost: others.keptCost };
  const beyond = exceededLimit({ spent, kept }, needed, tree, "tree.");
  if (beyond) return { refused: { refused: "budget", exceeded: beyond } };
  const open = { tokens: others.openTokens, cost: others.openCost };
  const reserved = exceededLimit({ spent, kept, open }, needed, tree, "tree.");
  if (reserved) return { refused: { refused: "reserved", exceeded: reserved } };
  return { warnings: softLimitWarnings(spent, tree) };
}

const spentBy = ({ usage }: RunRow): Spending => ({ tokens: totalTokens(usage), cost: usage.cost });

/** Warns once per tree, in the journal of its root. */
export function* warnRoot(tx: Transaction, record: RunRecord, warnings: readonly EventBody[]): Steps<void> {
  const root = yield* findRun(tx, record.row.rootRunId);
  if (!root || root.row.endedAt !== undefined) return;
  const keys = yield* keysOf(tx, root);
  const news = warnings.filter((warning) => !keys.has(keyOf(warning)));
  if (news.length > 0) yield* signal(tx, root, news);
}

/** Stores the budget that a person has set for the tree, and tells every run that draws on it. */
export function* applyTreeBudget(tx: Transaction, record: RunRecord, change: TreeBudgetChange): Steps<void> {
  const payer = payerOf(record.row);
  yield* ask(tx.queries.raiseBudget(payer, change.payload.limits!));
  for (const runId of yield* ask(tx.queries.activePaidBy(payer))) {
    const other = (yield* findRun(tx, runId))!;
    const news = budgetNews(change, other.row, record.row, yield* openStops(tx, other));
    if (news.length > 0) yield* signal(tx, other, news);
  }
}

/** The stops of this run by the tree's budget that no person has decided on yet. */
function* openStops(tx: Transaction, record: RunRecord): Steps<TreeStop[]> {
  const keys = yield* keysOf(tx, record);
  const stops: TreeStop[] = [];
  for (const [key, seq] of keys) {
    if (!key.startsWith("limit/budget/")) continue;
    const { payload } = (yield* ask(tx.queries.eventAt(record, seq)))!;
    const stop = JSON.parse(payload) as Payload<"LIMIT_REACHED">;
    if (isTreeLimit(stop.limit) && !keys.has(decisionKey(stop.itemId!))) stops.push(stop);
  }
  return stops;
}

/** The events that tell a run about a new budget. The run `saidTo` already has the person's event. */
function budgetNews(
  change: TreeBudgetChange,
  row: RunRow,
  saidTo: RunRow,
  stops: readonly TreeStop[],
): EventBody[] {
  if (row.cancelRequested) return [];
  const news = liftTreeStops(change, stops);
  return change.type === "BUDGET_SET" && row.id !== saidTo.id ? [change, ...news] : news;
}
