// How much a model reasons before it answers: a level, or a budget in tokens.

import { z } from "zod";

export const REASONING_LEVELS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

export const Reasoning = z.union([z.enum(REASONING_LEVELS), z.int().positive()]);
export type Reasoning = z.infer<typeof Reasoning>;
