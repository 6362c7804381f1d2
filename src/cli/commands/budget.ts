// `cadre budget`: shows what a branch of a tree has spent and may spend, and changes its limits.

import type { CadreClient } from "../../api/client/client.ts";
import { CadreError } from "../../errors.ts";
import type { Budget, JournalEvent } from "../../journal/events.ts";
import { type BudgetRiver, budgetRiver } from "../../projections/usage/budget-river.ts";
import { type RunBudget, runBudgetProjection } from "../../projections/usage/run-budget.ts";
import { describeBudget } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { budgetJson, budgetLines } from "../view/budget.ts";
import { nextDriverText } from "../view/drivers.ts";
import { jsonLine } from "../view/text/plain.ts";

interface BudgetOptions {
  give?: string;
  take?: string;
  set?: string;
  tree?: true;
}

export async function budget(
  { folder, io, json, screen, commandLine }: Invocation,
  runId: string,
  options: BudgetOptions,
): Promise<number> {
  const change = changeIn(options);
  return withClient({ folder, io }, async (client) => {
    const { river, below } = await riversOf(client, runId);
    if (!change) {
      if (json) screen.line(jsonLine(budgetJson(below, river.limit)));
      else for (const line of budgetLines(below, river)) screen.line(line);
      return EXIT.done;
    }
    const limits = newLimit(options.tree ? river.limit : below.nodes[0]!.limit, change, options.tree);
    await client.post("/api/runs/{id}/budget", {
      id: runId,
      body: { ...limits, ...(options.tree ? { scope: "tree" } : {}) },
    });
    const whose = options.tree ? "The tree" : `Run ${runId}`;
    screen.line(
      json
        ? jsonLine({ runId, ...limits, tree: options.tree === true })
        : `${whose} may now spend ${describeBudget(limits)}; ${await nextDriverText(client, commandLine, "this applies from the next `cadre run` on")}.`,
    );
    return EXIT.done;
  });
}

/** The budgets of the whole tree, which has the tree's limit, and of the branch. */
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
  if (more.length > 0)
    throw new CadreError("USAGE", "Give only one of --give, --take and --set. Nothing was changed.");
  if (by === undefined && options.tree)
    throw new CadreError("USAGE", "--tree needs --give, --take or --set. Nothing was changed.");
  return by && { by, ...amountOf(options[by]!) };
}

/** Parses `0.50` and `$5` as dollars and `20000` as tokens. */
function amountOf(text: string): Pick<Change, "unit" | "amount"> {
  const [, dollar, digits] = /^\s*(\$?)\s*([\d_,]*\.?\d+)\s*$/.exec(text) ?? [];
  if (digits === undefined)
    throw new CadreError(
      "USAGE",
      `${JSON.stringify(text)} is not an amount: 0.50 means dollars, 20000 means tokens. Nothing was changed.`,
    );
  const isMoney = dollar === "$" || digits.includes(".");
  return { unit: isMoney ? "maxCost" : "maxTokens", amount: Number(digits.replaceAll(/[_,]/g, "")) };
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
  // Round away the floating-point error.
  return limitOf(unit, Math.round(after * 1e6) / 1e6);
}

type Limit = { maxCost: number } | { maxTokens: number };

const limitOf = (unit: keyof Budget, value: number): Limit =>
  unit === "maxCost" ? { maxCost: value } : { maxTokens: value };
