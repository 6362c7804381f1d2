// The comparison of two runs, in the words of the terminal and the page.

import { duration, money, shortCount } from "./format.ts";

export const COMPARISON_COLUMNS = ["Status", "Time", "Tokens", "Cost", "Runs"] as const;

export const NO_DIVERGENCE = "They do not differ.";

export const firstDivergence = (agent: string): string => `First divergence: ${agent}`;

interface RunFacts {
  status: string;
  ms: number;
  tokens: number;
  cost: number;
  unpriced: number;
}

/** Status, time, tokens and cost of a run or a tree. */
export const factCells = ({ status, ms, tokens, cost, unpriced }: RunFacts): string[] => [
  status,
  duration(ms),
  shortCount(tokens),
  money(cost, unpriced),
];

/** B minus A: differences in time, tokens and cost, each with its sign. */
export const differenceCells = (a: RunFacts, b: RunFacts): string[] => [
  withSign(b.ms - a.ms, duration),
  withSign(b.tokens - a.tokens, shortCount),
  withSign(b.cost - a.cost, money),
];

const withSign = (value: number, format: (value: number) => string): string =>
  `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;

/** Says that only one side has a run or a step. Undefined if both sides have it. */
export const onlySide = (a: unknown, b: unknown): string | undefined =>
  a && b ? undefined : a ? "only in A" : "only in B";
