// The most that one task could start: every pattern taken whole, every delegation made as often as the limits allow. A
// bound, not a forecast.

import type { ReachNode } from "./reach.ts";

export interface WorstCase {
  runs: number;
  turns: number;
  /** Dollars; absent: somebody on the way may spend without a limit of its own. */
  maxCost?: number;
  /** The tree's own limit is what holds it. */
  capped: boolean;
}

export const DEFAULT_TREE_RUNS = 100;

/** A choice, and one correction of it. */
const ROUTER_TURNS = 2;

interface Sum {
  runs: number;
  turns: number;
  cost: number;
}

/** `whole` is false where not every way was followed: then only the tree's limit is known. */
export function worstCase(
  root: ReachNode,
  { maxRuns, whole }: { maxRuns: number; whole: boolean },
): WorstCase {
  const { runs, turns, cost } = sumOf(root);
  const most = maxRuns * longest(root);
  const maxCost = whole && Number.isFinite(cost) ? { maxCost: cost } : {};
  if (whole && runs <= maxRuns) return { runs, turns: Math.min(turns, most), ...maxCost, capped: false };
  return { runs: maxRuns, turns: whole ? Math.min(turns, most) : most, ...maxCost, capped: true };
}

function sumOf({ definition, limits, below }: ReachNode): Sum {
  const by = (key: string): Sum[] => below.filter(({ path }) => path.at(-1)!.key === key).map(sumOf);
  const { team, bestOf, router, handoff } = definition;
  const own = { runs: 1, turns: limits.maxTurns, cost: limits.maxCost ?? Number.POSITIVE_INFINITY };
  return total([
    { ...own, turns: router ? Math.min(limits.maxTurns, ROUTER_TURNS) : limits.maxTurns },
    ...by("advisors"),
    times(total(by("team")), team?.maxRounds ?? 0),
    ...(bestOf ? [times(own, bestOf.n), ...(bestOf.judge === undefined ? [own] : by("bestOf"))] : []),
    times(largest(by("agents")), limits.maxChildren),
    largest(by("router")),
    times(total(by("handoff")), handoff?.onFailure === "retry" ? 2 : 1),
  ]);
}

const NOTHING: Sum = { runs: 0, turns: 0, cost: 0 };

const total = (sums: readonly Sum[]): Sum =>
  sums.reduce(
    (all, { runs, turns, cost }) => ({
      runs: all.runs + runs,
      turns: all.turns + turns,
      cost: all.cost + cost,
    }),
    NOTHING,
  );

/** No times without a limit is nothing, not a number that is none. */
const times = ({ runs, turns, cost }: Sum, count: number): Sum =>
  count === 0 ? NOTHING : { runs: runs * count, turns: turns * count, cost: cost * count };

const largest = (sums: readonly Sum[]): Sum => ({
  runs: Math.max(0, ...sums.map(({ runs }) => runs)),
  turns: Math.max(0, ...sums.map(({ turns }) => turns)),
  cost: Math.max(0, ...sums.map(({ cost }) => cost)),
});

const longest = ({ limits, below }: ReachNode): number => Math.max(limits.maxTurns, ...below.map(longest));
