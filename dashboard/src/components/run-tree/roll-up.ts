// What a tree's node says about everything below it (U07): how many run, wait, have failed and need a person, and what
// they cost together.

import { type RunUsage, totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import { shownStatus } from "../../../../src/projections/words/statuses.ts";
import type { RunJournal } from "../../live/run-journal.ts";

export interface RollUp {
  running: number;
  waiting: number;
  failed: number;
  needsYou: number;
  /** Runs at all. */
  runs: number;
  /** Of the node itself and all below it. */
  cost: number;
  unpriced: number;
  tokens: number;
}

type Runs = ReadonlyMap<string, RunJournal>;

/** By run id; what is counted is below the node, not the node itself. */
export function rollUps(runs: Runs, rootId: string): Map<string, RollUp> {
  const all = new Map<string, RollUp>();
  // From the last one up: what is below a node is complete when the node is reached.
  for (const id of treeOrder(runs, rootId).reverse()) {
    const { row, children } = runs.get(id)!;
    const sum = nothing(row.usage);
    for (const child of children) {
      const below = all.get(child);
      if (below) addChild(sum, below, runs.get(child)!);
    }
    all.set(id, sum);
  }
  return all;
}

/** A parent before its children, those in the order in which they were started. */
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

/** How far below the first each stands, from 1: by whom it was started, whatever the pattern. A row's depth counts delegations only. */
export function treeLevels(runs: Runs, order: readonly string[]): Map<string, number> {
  const levels = new Map<string, number>();
  for (const id of order) levels.set(id, (levels.get(runs.get(id)?.row.parentRunId ?? "") ?? 0) + 1);
  return levels;
}

/** From the root down to the run itself. */
export function pathTo(runs: Runs, runId: string): RunJournal[] {
  const path: RunJournal[] = [];
  for (let run = runs.get(runId); run; run = runs.get(run.row.parentRunId ?? "")) path.unshift(run);
  return path;
}

const nothing = (usage: RunUsage): RollUp => ({
  running: 0,
  waiting: 0,
  failed: 0,
  needsYou: 0,
  runs: 0,
  cost: usage.cost,
  unpriced: usage.unpriced,
  tokens: totalTokens(usage),
});

function addChild(sum: RollUp, below: RollUp, { row }: RunJournal): void {
  for (const key of Object.keys(sum) as (keyof RollUp)[]) sum[key] += below[key];
  sum.runs++;
  // Who only waits for somebody below who needs a person is counted there.
  if (row.waitingOn?.kind === "child_hitl") sum.waiting++;
  else if (shownStatus(row) === "needs_person") sum.needsYou++;
  else if (row.status === "failed") sum.failed++;
  else if (row.status === "waiting" || row.status === "suspended") sum.waiting++;
  else if (row.status === "running" || row.status === "pending") sum.running++;
}
