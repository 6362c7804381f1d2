// The reasoning that a model supports. The file of the model's provider lists it.

import {
  REASONING_LEVELS,
  type Reasoning,
  type ReasoningLevel,
  thoughtTokens,
} from "../journal/reasoning.ts";

/** The reasoning that an agent can request from a model. The lists and limits are facts about the model's API. */
export interface ReasoningAbility {
  /** The levels that the model has. The list is empty if the model cannot reason. */
  levels: readonly ReasoningLevel[];
  /** The smallest and the largest budget in tokens. Absent if the model takes no budget. */
  tokens?: readonly [least: number, most: number];
}

/** The levels of a model that Cadre does not know. */
export const ANY_LEVEL: ReasoningAbility = { levels: REASONING_LEVELS };

export const NO_REASONING: ReasoningAbility = { levels: [] };

/** Says why a model cannot reason as an agent asks. Undefined if it can. */
export function reasoningProblem(asked: Reasoning, { levels, tokens }: ReasoningAbility): string | undefined {
  if (levels.length === 0) return asked === "none" ? undefined : "does not reason: leave `reasoning` out";
  const choice = `choose ${levels.join(", ")}${tokens ? `, or ${tokens[0]} to ${tokens[1]} tokens` : ""}`;
  if (typeof asked === "string")
    return levels.includes(asked) ? undefined : `has no reasoning level \`${asked}\`: ${choice}`;
  if (!tokens) return `takes no budget of reasoning tokens: ${choice}`;
  return asked < tokens[0] || asked > tokens[1]
    ? `cannot reason with a budget of ${asked} tokens: ${choice}`
    : undefined;
}

/** The supported setting that is nearest to the requested one. A substitute model may support other settings than the first model. */
export function nearestReasoning(
  asked: Reasoning | undefined,
  { levels, tokens }: ReasoningAbility,
): Reasoning | undefined {
  if (asked === undefined || levels.length === 0) return undefined;
  if (typeof asked === "number" && tokens) return Math.min(tokens[1], Math.max(tokens[0], asked));
  const level = typeof asked === "number" ? levelFor(asked) : asked;
  const wanted = REASONING_LEVELS.indexOf(level);
  const distance = (to: ReasoningLevel): number => Math.abs(REASONING_LEVELS.indexOf(to) - wanted);
  const eligible = level === "none" ? levels : levels.filter((each) => each !== "none");
  return eligible.toSorted((one, other) => distance(one) - distance(other))[0];
}

const LEAST_ANSWER = 4_000;

/** The budget for thoughts in a call with this output limit, which includes the thoughts. The answer gets at least 4,000 tokens, or half of the limit. */
export function fitThoughts(asked: Reasoning, output: number): number {
  return Math.min(thoughtTokens(asked), output - Math.min(LEAST_ANSWER, Math.ceil(output / 2)));
}

function levelFor(tokens: number): ReasoningLevel {
  if (tokens <= 4_096) return "low";
  if (tokens <= 16_384) return "medium";
  return tokens <= 32_768 ? "high" : "xhigh";
}
