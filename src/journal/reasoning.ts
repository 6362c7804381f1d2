// How much a model reasons before it answers: a level, or a budget in tokens.

import { z } from "zod";

export const REASONING_LEVELS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

export const Reasoning = z.union([z.enum(REASONING_LEVELS), z.int().positive()]);
export type Reasoning = z.infer<typeof Reasoning>;

/** The value in a pinned definition. Older versions pinned any text that an agent's file contained. */
export const PinnedReasoning = z.union([Reasoning, z.string().transform(readOldReasoning)]);

/** Reads the value that an older version pinned. Undefined if it means nothing to Cadre. The model's default then applies. */
function readOldReasoning(text: string): Reasoning | undefined {
  if (["on", "true"].includes(text)) return "medium";
  if (["off", "false", "0"].includes(text)) return "none";
  return Reasoning.safeParse(Number(text)).data;
}

/** Reasoning tokens of each level, for models that take a budget, and for estimates. */
const LEVEL_TOKENS: Readonly<Record<ReasoningLevel, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 12_000,
  high: 24_000,
  xhigh: 32_000,
  max: 48_000,
};

/** Number of tokens that a model may use for its thoughts at this level. */
export const thoughtTokens = (asked: Reasoning | undefined): number =>
  typeof asked === "number" ? asked : LEVEL_TOKENS[asked ?? "none"];
