// What one agent alone would have used for the work of a tree (S1-75): an estimate, made from the turns that there were.
//  It takes the same turns, one after the other, in one conversation: each turn reads whatever was said and found before it
//  in any run of the tree, and then what is new. What is new in a turn is what its own run's prompt has grown by since that
//  run's turn before. What a child is told at its start (its prompt, its tools, its task) one agent would not need: it counts
//  for nothing. A token costs what the tokens of the top run cost on average.
//  So caching, a context that would not have fitted, and that it might have needed fewer turns are not in it.

import type { EventOf } from "../../journal/events.ts";

export interface Baseline {
  /** How long the conversation is by now. */
  context: number;
  tokens: number;
  /** Of the top run itself. */
  topTokens: number;
  /** Null: a turn of it has no known price. */
  topCost: number | null;
  /** By run: what its latest turn read and wrote. */
  last: Record<string, number>;
}

/** `from`: one whose runs have all ended. */
export const newBaseline = (
  from: Baseline = { context: 0, tokens: 0, topTokens: 0, topCost: 0, last: {} },
): Baseline => ({ ...from, last: {} });

export function addTurnToBaseline(
  baseline: Baseline,
  { runId, payload: { usage, cost } }: EventOf<"AGENT_THOUGHT">,
  isTop: boolean,
): void {
  const { input, output } = usage;
  const before = baseline.last[runId] ?? (isTop ? 0 : input);
  baseline.context += Math.max(0, input - before);
  baseline.tokens += baseline.context + output;
  baseline.context += output;
  baseline.last[runId] = input + output;
  if (!isTop) return;
  baseline.topTokens += input + output;
  baseline.topCost = baseline.topCost === null || cost === null ? null : baseline.topCost + cost;
}

/** Null: no price is known. */
export function baselineCost({ tokens, topTokens, topCost }: Baseline): number | null {
  return topCost === null || topTokens === 0 ? null : (tokens * topCost) / topTokens;
}
