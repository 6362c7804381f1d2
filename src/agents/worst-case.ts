// The most that one task could start: every pattern taken whole, every delegation made as often as the limits allow. A
// bound, not a forecast.

import type { Place } from "./reach.ts";

export interface WorstCase {
  runs: number;
  turns: number;
  /** The tree's own limit is what holds it. */
  capped: boolean;
}

export const DEFAULT_TREE_RUNS = 100;

/** A choice, and one correction of it. */
const ROUTER_TURNS = 2;

type Sum = Omit<WorstCase, "capped">;

/** `whole` is false where not every way was followed: then only the tree's limit is known. */
export function worstCase(root: Place, { maxRuns, whole }: { maxRuns: number; whole: boolean }): WorstCase {
  const { runs, turns } = sumOf(root);
  const most = maxRuns * longest(root);
  if (whole && runs <= maxRuns) return { runs, turns: Math.min(turns, most), capped: false };
  return { runs: maxRuns, turns: whole ? Math.min(turns, most) : most, capped: true };
}

function sumOf({ definition, limits, below }: Place): Sum {
  const by = (key: string): Sum[] => below.filter(({ path }) => path.at(-1)!.key === key).map(sumOf);
  const { team, bestOf, router, handoff } = definition;
  const own = { runs: 1, turns: limits.maxTurns };
  return total([
    { runs: 1, turns: router ? Math.min(limits.maxTurns, ROUTER_TURNS) : limits.maxTurns },
    ...by("advisors"),
    times(total(by("team")), team?.maxRounds ?? 0),
    ...(bestOf ? [times(own, bestOf.n), ...(bestOf.judge === undefined ? [own] : by("bestOf"))] : []),
    times(largest(by("agents")), limits.maxChildren),
    largest(by("router")),
    times(total(by("handoff")), handoff?.onFailure === "retry" ? 2 : 1),
  ]);
}

const NOTHING: Sum = { runs: 0, turns: 0 };

const total = (sums: readonly Sum[]): Sum =>
  sums.reduce((all, { runs, turns }) => ({ runs: all.runs + runs, turns: all.turns + turns }), NOTHING);

const times = ({ runs, turns }: Sum, count: number): Sum => ({ runs: runs * count, turns: turns * count });

const largest = (sums: readonly Sum[]): Sum => ({
  runs: Math.max(0, ...sums.map(({ runs }) => runs)),
  turns: Math.max(0, ...sums.map(({ turns }) => turns)),
});

const longest = ({ limits, below }: Place): number => Math.max(limits.maxTurns, ...below.map(longest));
