// U07: totals for each node of a run tree: the cost, and how many runs below the node are running, waiting, failed or need a person.

import { type RunUsage, totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import { shownStatus } from "../../../../src/projections/words/statuses.ts";
import type { RunJournal } from "../../live/run-journal.ts";

export interface RollUp {
  running: number;
  waiting: number;
  failed: number;
  needsYou: number;
  /** Refused calls of the node itself and all runs below it. */
  refused: number;
  /** Number of all runs below the node. */
  runs: number;
  /** Cost of the node itself and all runs below it. */
  cost: number;
  unpriced: number;
  tokens: number;
}

type Runs = ReadonlyMap<string, RunJournal>;

/** Totals by run id. Each count covers the runs below a node but not the node itself. */
export function rollUps(runs: Runs, rootId: string): Map<string, RollUp> {
  const all = new Map<string, RollUp>();
  // The reverse order visits the children of a node before the node.
  for (const id of treeOrder(runs, rootId).reverse()) {
    const { row, children, refused } = runs.get(id)!;
    const sum = ownTotals(row.usage, refused);
    for (const child of children) {
      const below = all.get(child);
      if (below) addChild(sum, below, runs.get(child)!);
    }
    all.set(id, sum);
  }
  return all;
}

/** Run ids in tree order: a parent before its children, children in the order they started. */
export function treeOrder(
  runs: Runs,
  rootId: string,
  isOpen: (id: string) => boolean = () => true,
): string[] {
  const order: string[] = [];
  const rest = [rootId];
  while (rest.length > 0) {
    const id = rest.pop()!;
    const run = runs.get(id);
    if (!run) continue;
    order.push(id);
    if (isOpen(id)) rest.push(...run.children.toReversed());
  }
  return order;
}

/** The level of each run in the tree, from 1. A row's `depth` counts only delegations; the level counts every parent. */
export function treeLevels(runs: Runs, order: readonly string[]): Map<string, number> {
  const levels = new Map<string, number>();
  for (const id of order) levels.set(id, (levels.get(runs.get(id)?.row.parentRunId ?? "") ?? 0) + 1);
  return levels;
}

/** The runs from the root down to the run itself. */
export function pathTo(runs: Runs, runId: string): RunJournal[] {
  const path: RunJournal[] = [];
  for (let run = runs.get(runId); run; run = runs.get(run.row.parentRunId ?? "")) path.unshift(run);
  return path;
}

/**
 * The trouble in a finished run and below it, although it has completed: `1 failed, 3 refused`. Undefined if there is none.
 * A run whose delegations were all refused would otherwise look as green as any other one.
 */
export function troubleIn({ status }: Pick<RunJournal["row"], "status">, sum: RollUp): string | undefined {
  if (status !== "completed") return undefined;
  const parts = [
    ...(sum.failed > 0 ? [`${sum.failed} failed`] : []),
    ...(sum.refused > 0 ? [`${sum.refused} refused`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

const ownTotals = (usage: RunUsage, refused = 0): RollUp => ({
  running: 0,
  waiting: 0,
  failed: 0,
  needsYou: 0,
  refused,
  runs: 0,
  cost: usage.cost,
  unpriced: usage.unpriced,
  tokens: totalTokens(usage),
});

function addChild(sum: RollUp, below: RollUp, { row }: RunJournal): void {
  for (const key of Object.keys(sum) as (keyof RollUp)[]) sum[key] += below[key];
  sum.runs++;
  // If a child has an open request, the child counts as needing a person. The parent only counts as waiting.
  if (row.waitingOn?.kind === "child_hitl") sum.waiting++;
  else if (shownStatus(row) === "needs_person") sum.needsYou++;
  else if (row.status === "failed") sum.failed++;
  else if (row.status === "waiting" || row.status === "suspended") sum.waiting++;
  else if (row.status === "running" || row.status === "pending") sum.running++;
}
