// `cadre budget`: shows how much a branch of a tree has spent and is allowed to spend. The command can also change the limits.

import type { CadreClient } from "../../api/client/client.ts";
import { CadreError } from "../../errors.ts";
import type { Budget, JournalEvent } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  type BudgetRiver,
  budgetRiver,
  type Flow,
  type RiverNode,
  remainingBudget,
} from "../../projections/usage/budget-river.ts";
import type { Spending } from "../../projections/usage/budgets.ts";
import { type RunBudget, runBudgetProjection } from "../../projections/usage/run-budget.ts";
import { describeBudget, plural, shortCount } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report, usageError } from "../invocation.ts";
import { AMOUNT_FORM, parseAmount } from "../option-values.ts";
import { reportRecorded } from "../view/drivers.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

interface BudgetOptions {
  give?: string;
  take?: string;
  set?: string;
  tree?: true;
}

export async function budget(invocation: Invocation, runId: string, options: BudgetOptions): Promise<number> {
  const change = changeIn(options);
  return withClient(invocation, async (client) => {
    const { river, below } = await riversOf(client, runId);
    if (!change) return report(invocation, budgetJson(below, river.limit), budgetLines(below, river));
    const { tree } = options;
    const limits = newLimit(tree ? river.limit : below.nodes[0]!.limit, change, tree);
    await client.post("/api/runs/{id}/budget", {
      id: runId,
      body: tree ? { ...limits, scope: "tree" } : limits,
    });
    return reportRecorded(invocation, client, {
      value: { runId, ...limits, tree: tree === true },
      text: `${tree ? "The tree" : `Run ${runId}`} may now spend ${describeBudget(limits)}`,
      later: (commands) => `this applies from the next ${commands} on`,
    });
  });
}

/** Returns two budgets: `river` for the whole tree, and `below` for the run and its descendants. */
async function riversOf(
  client: CadreClient,
  runId: string,
): Promise<{ river: BudgetRiver; below: BudgetRiver }> {
  const { rootRunId, id } = await client.get("/api/runs/{id}", { id: runId });
  const budgets = foldAll(await client.treeEvents(rootRunId));
  const river = budgetRiver(budgets, rootRunId);
  return { river, below: id === rootRunId ? river : budgetRiver(budgets, id) };
}

function foldAll(events: readonly JournalEvent[]): Map<string, RunBudget> {
  const budgets = new Map<string, RunBudget>();
  for (const event of events) {
    const before = budgets.get(event.runId) ?? runBudgetProjection.initial();
    budgets.set(event.runId, runBudgetProjection.apply(before, event));
  }
  return budgets;
}

interface Change {
  by: "give" | "take" | "set";
  unit: keyof Budget;
  amount: number;
}

function changeIn(options: BudgetOptions): Change | undefined {
  const [by, ...more] = (["give", "take", "set"] as const).filter((each) => options[each] !== undefined);
  if (more.length > 0) throw usageError("Give only one of --give, --take and --set. Nothing was changed.");
  if (by === undefined && options.tree)
    throw usageError("--tree needs --give, --take or --set. Nothing was changed.");
  return by && { by, ...amountOf(options[by]!) };
}

function amountOf(text: string): Pick<Change, "unit" | "amount"> {
  const parsed = parseAmount(text);
  if (parsed) return parsed;
  throw usageError(`${JSON.stringify(text)} is not an amount. ${AMOUNT_FORM}. Nothing was changed.`);
}

function newLimit(now: Budget, { by, unit, amount }: Change, tree: true | undefined): Limit {
  if (by === "set") return limitOf(unit, amount);
  const before = now[unit];
  if (before === undefined) {
    const whose = tree ? "The tree" : "The run";
    const what = unit === "maxCost" ? "dollars" : "tokens";
    const other = tree ? "" : ", and --tree changes that of its tree";
    throw new CadreError(
      "CONFLICT",
      `${whose} has no limit of ${what} to ${by === "give" ? "add to" : "take from"}: --set sets one${other}. Nothing was changed.`,
    );
  }
  const after = by === "give" ? before + amount : before - amount;
  if (after < 0)
    throw new CadreError(
      "CONFLICT",
      `Its limit is only ${describeBudget(limitOf(unit, before))}. Nothing was changed.`,
    );
  // Rounds away the floating-point error.
  return limitOf(unit, Math.round(after * 1e6) / 1e6);
}

type Limit = { maxCost: number } | { maxTokens: number };

const limitOf = (unit: keyof Budget, value: number): Limit =>
  unit === "maxCost" ? { maxCost: value } : { maxTokens: value };

function budgetLines({ nodes, unpriced }: BudgetRiver, { nodes: [top], limit }: BudgetRiver): string[] {
  const rows = nodes.map((node) => [
    node.runId,
    `${"  ".repeat(node.level)}${plainLine(node.agent)}`,
    node.frozen.length > 0 ? "frozen" : node.row.status,
    amount(node.own.spent),
    amount(node.own.wasted),
    amount(node.own.reserved),
    describeBudget(node.limit) || "–",
  ]);
  const all = nodes[0]!.branch;
  return [
    ...table([["run", "agent", "state", "spent", "wasted", "reserved", "own limit"], ...rows]),
    "",
    `Together: ${inWords(all.spent)} spent, ${inWords(all.wasted)} of it wasted; ${inWords(all.reserved)} reserved for calls in progress and last turns.`,
    treeLine(top!.branch, limit),
    ...(unpriced > 0 ? [`The price of ${plural(unpriced, "call")} is unknown, so the cost is higher.`] : []),
  ];
}

/** Returns the usage and limits of each run, and the limits of the tree, for `--json`. */
const budgetJson = ({ nodes }: BudgetRiver, tree: Budget) => ({
  tree,
  runs: nodes.map(({ runId, agent, parentId: parentRunId, row, own, branch, limit, frozen }: RiverNode) => ({
    runId,
    agent,
    parentRunId,
    status: row.status,
    ...own,
    branch,
    limit,
    frozen,
  })),
});

function treeLine(flow: Flow, limit: Budget): string {
  const may = describeBudget(limit);
  if (may === "") return "The tree has no budget: `--tree --set 5usd` sets one.";
  const { tokens: maxTokens, cost: maxCost } = remainingBudget(flow, limit);
  return `The tree may spend ${may}; ${describeBudget(omitUndefined({ maxTokens, maxCost }))} are left.`;
}

const inWords = (spending: Spending): string =>
  spending.tokens === 0 && spending.cost === 0 ? "nothing" : amount(spending);

function amount({ tokens, cost }: Spending): string {
  if (tokens === 0 && cost === 0) return "–";
  return cost === 0 ? shortCount(tokens) : `${shortCount(tokens)} ${describeBudget({ maxCost: cost })}`;
}
