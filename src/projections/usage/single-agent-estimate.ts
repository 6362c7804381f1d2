// Estimates what a single agent would have used for the work of a tree (S1-75), based on the turns that the tree's agents took.
//  - The single agent takes the same turns one after another in one conversation.
//  - Each turn reads the whole conversation so far and some new text. The new text is the growth of the run's prompt since its last turn.
//  - The prompt, tools and task of a child do not count, because a single agent would not need them.
//  - A token costs the average price of the top run's tokens.
//  - Not considered: caching, context limits, and that a single agent might need fewer turns.

import type { EventOf } from "../../journal/events.ts";

export interface Baseline {
  /** Current length of the conversation in tokens. */
  context: number;
  tokens: number;
  /** Tokens and cost of the top run itself. The cost is null if one of its turns has no known price. */
  topTokens: number;
  topCost: number | null;
  /** Tokens that the latest turn read and wrote, by run. */
  last: Record<string, number>;
}

/** Makes a new baseline, or copies `from` after all of its runs have ended. The copy contains no data about single runs. */
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

/** The estimated cost. Null if no price is known. */
export function baselineCost({ tokens, topTokens, topCost }: Baseline): number | null {
  return topCost === null || topTokens === 0 ? null : (tokens * topCost) / topTokens;
}
