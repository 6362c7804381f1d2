// The pinned definition: an agent as a run keeps it, resolved and complete, stored once as a blob by its hash.
// Editing the agent's file changes the next run, never one that is under way.

import { z } from "zod";

export const Effect = z.enum(["read", "idempotent", "unsafe"]);
export type Effect = z.infer<typeof Effect>;

export const Rules = z.object({
  allow: z.array(z.string()).default([]),
  ask: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
});
export type Rules = z.infer<typeof Rules>;

export const AgentLimits = z.object({
  maxTurns: z.int().nonnegative().optional(),
  /** Active milliseconds. */
  maxDuration: z.int().nonnegative().optional(),
  approvalTimeout: z.int().nonnegative().optional(),
  maxToolCallsPerTurn: z.int().nonnegative().optional(),
  toolTimeout: z.int().nonnegative().optional(),
  maxTokens: z.int().nonnegative().optional(),
  maxCost: z.number().nonnegative().optional(),
  maxDepth: z.int().nonnegative().optional(),
  maxChildren: z.int().nonnegative().optional(),
  maxEvents: z.int().nonnegative().optional(),
  onBudget: z.enum(["stop", "suspend"]).optional(),
  tree: z
    .object({
      maxTokens: z.int().nonnegative().optional(),
      maxCost: z.number().nonnegative().optional(),
      maxRuns: z.int().nonnegative().optional(),
    })
    .optional(),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

/** The limits of a run: those without a default may be absent, and then do not bind. */
export const Limits = AgentLimits.extend({
  maxTurns: z.int().nonnegative(),
  maxDuration: z.int().nonnegative(),
  approvalTimeout: z.int().nonnegative(),
  maxToolCallsPerTurn: z.int().nonnegative(),
  maxDepth: z.int().nonnegative(),
  maxEvents: z.int().nonnegative(),
  onBudget: z.enum(["stop", "suspend"]),
});
export type Limits = z.infer<typeof Limits>;

const MINUTE = 60_000;

export const DEFAULT_LIMITS: Limits = {
  maxTurns: 20,
  maxDuration: 30 * MINUTE,
  approvalTimeout: 60 * MINUTE,
  maxToolCallsPerTurn: 10,
  maxDepth: 3,
  maxEvents: 100_000,
  onBudget: "stop",
};

export const Definition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  kind: z.enum(["main", "subagent"]),
  /** Models in the order in which they are tried: `provider/model`, aliases resolved. */
  models: z.array(z.string()).min(1),
  temperature: z.number().optional(),
  maxOutputTokens: z.int().positive().optional(),
  reasoning: z.string().optional(),
  /** The body of the agent's file, includes resolved: the system prompt before composition. */
  prompt: z.string(),
  /** What this agent may call. `allow` absent: every tool; empty: none. Names, globs, and patterns for `ask` and `deny`. */
  tools: z.object({
    allow: z.array(z.string()).optional(),
    ask: z.array(z.string()),
    deny: z.array(z.string()),
  }),
  /** What binds this agent and its subtree. */
  permissions: z.object({ ask: z.array(z.string()), deny: z.array(z.string()) }),
  /** The agents that it may delegate to. */
  agents: z.array(z.string()),
  limits: AgentLimits,
  output: z.unknown().optional(),
  source: z.object({ file: z.string(), hash: z.string() }),
});
export type Definition = z.infer<typeof Definition>;
