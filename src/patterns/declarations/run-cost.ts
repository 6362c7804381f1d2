// Arithmetic for worst-case costs.

/** The runs, the model turns and the dollars that a part of a tree could need. */
export interface RunCost {
  runs: number;
  turns: number;
  /** The cost in dollars. It is Infinity if there is no limit. */
  cost: number;
}

export const NO_COST: RunCost = { runs: 0, turns: 0, cost: 0 };

export const totalCost = (costs: readonly RunCost[]): RunCost =>
  costs.reduce(
    (all, { runs, turns, cost }) => ({
      runs: all.runs + runs,
      turns: all.turns + turns,
      cost: all.cost + cost,
    }),
    NO_COST,
  );

/** Zero runs cost nothing. Without this case, zero times an infinite cost would be NaN. */
export const timesCost = ({ runs, turns, cost }: RunCost, count: number): RunCost =>
  count === 0 ? NO_COST : { runs: runs * count, turns: turns * count, cost: cost * count };

export const largestCost = (costs: readonly RunCost[]): RunCost => ({
  runs: Math.max(0, ...costs.map(({ runs }) => runs)),
  turns: Math.max(0, ...costs.map(({ turns }) => turns)),
  cost: Math.max(0, ...costs.map(({ cost }) => cost)),
});
