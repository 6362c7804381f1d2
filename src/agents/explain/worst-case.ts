// Computes the largest number of runs and turns that one task could cause.
// The worst case assumes that every pattern runs to its end, and that agents delegate as often as the limits allow.

import type { Stage } from "../../patterns/declarations/declaration.ts";
import { patternsIn, patternsInRunOrder } from "../../patterns/declarations/facts.ts";
import { largestCost, type RunCost, timesCost, totalCost } from "../../patterns/declarations/run-cost.ts";
import { allNodes, type ReachNode, type ReachParts, type ReachStop } from "./reach.ts";

export interface WorstCase {
  runs: number;
  turns: number;
  /** Cost in US dollars. Absent if some agent has no cost limit of its own, or a model without a known price. */
  maxCost?: number;
  /** Models without a known price. */
  unpriced?: string[];
  /** Whether the limit of the whole tree applies, because the limits of the single agents would allow more. */
  capped: boolean;
}

const DEFAULT_TREE_RUNS = 100;

export function worstCase(
  { root, stops }: { root: ReachNode; stops: readonly ReachStop[] },
  { limits: { tree }, hasPrice }: Pick<ReachParts, "limits" | "hasPrice">,
): WorstCase {
  const maxRuns = tree?.maxRuns ?? DEFAULT_TREE_RUNS;
  // If some paths were not followed, the worst case is unknown, and only the tree's own limits apply.
  const whole = stops.every(({ why }) => why !== "too-many");
  const { runs, turns, cost } = costOf(root);
  const most = maxRuns * longest(root);
  const unpriced = [...new Set(allNodes(root).flatMap(({ models }) => models))].filter(
    (model) => !hasPrice(model),
  );
  const isKnown = whole && Number.isFinite(cost) && unpriced.length === 0;
  const money = { ...(isKnown ? { maxCost: cost } : {}), ...(unpriced.length > 0 ? { unpriced } : {}) };
  if (whole && runs <= maxRuns) return { runs, turns: Math.min(turns, most), ...money, capped: false };
  return { runs: maxRuns, turns: whole ? Math.min(turns, most) : most, ...money, capped: true };
}

function costOf({ definition, limits, below }: ReachNode): RunCost {
  const startedBy = (key: string): RunCost[] =>
    below.filter(({ path }) => path.at(-1)!.key === key).map(costOf);
  const self = { runs: 1, turns: limits.maxTurns, cost: limits.maxCost ?? Number.POSITIVE_INFINITY };
  const used = patternsIn(definition, patternsInRunOrder);
  const ownTurns = Math.min(limits.maxTurns, ...used.flatMap(({ pattern }) => pattern.ownTurns ?? []));
  const patternCosts = (...stages: readonly Stage[]): RunCost[] =>
    used
      .filter(({ pattern }) => stages.includes(pattern.stage))
      .map(({ pattern, own }) => pattern.worstCase(own, { self, below: startedBy(pattern.key) }));
  return totalCost([
    { ...self, turns: ownTurns },
    ...patternCosts("before", "work"),
    timesCost(largestCost(startedBy("agents")), limits.maxChildren),
    ...patternCosts("route", "after"),
  ]);
}

const longest = ({ limits, below }: ReachNode): number => Math.max(limits.maxTurns, ...below.map(longest));
