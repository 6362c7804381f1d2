// The pinned definition: an agent as a run keeps it, resolved and complete, stored once as a blob by its hash.
// Editing the agent's file changes the next run, never one that is under way.

import { z } from "zod";

export const Effect = z.enum(["read", "idempotent", "unsafe"]);
export type Effect = z.infer<typeof Effect>;

/** What holds where no rule says anything. */
export const PRESETS = ["read-only", "ask", "edits", "trusted"] as const;
export type Preset = (typeof PRESETS)[number];

export const Rules = z.object({
  preset: z.enum(PRESETS).exactOptional(),
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
  tree: AgentLimits.shape.tree
    .unwrap()
    /** What the root says of the tree's budget, whatever the run says of its own. */
    .extend({ onBudget: z.enum(["stop", "suspend"]).optional() })
    .optional(),
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

export const ContextMode = z.enum(["none", "summary", "selective", "full"]);
export type ContextMode = z.infer<typeof ContextMode>;

export const Delegation = z.object({
  mode: z.enum(["sequential", "parallel"]),
  maxParallel: z.int().positive(),
  /** `generic` offers `delegate`, `per-agent` one `run_<name>_agent` each; the other two are names that people know. */
  tool: z.enum(["generic", "per-agent", "delegate_to_agent", "mcp__agent__spawn"]),
  onFailure: z.enum(["return", "fail", "retry"]),
  /** What a run that is done does about children that it did not wait for. */
  atEnd: z.enum(["wait", "cancel"]),
});
export type Delegation = z.infer<typeof Delegation>;

export const DEFAULT_DELEGATION: Delegation = {
  mode: "sequential",
  maxParallel: 3,
  tool: "generic",
  onFailure: "return",
  atEnd: "wait",
};

/** Somebody that an agent may delegate to, as it was when the definition was pinned. */
export const Delegate = z.object({
  /** What the model calls it: as the file writes it, `planner` for `factory/planner`. */
  name: z.string(),
  /** The agent's full name. */
  agent: z.string(),
  description: z.string(),
});
export type Delegate = z.infer<typeof Delegate>;

const Handoff = z.object({
  agent: z.string(),
  /** What a failed stage means: the chain fails, the answer before it stands, or it is tried once more. */
  onFailure: z.enum(["fail", "return", "retry"]),
});

const Router = z.object({
  destinations: z.array(z.string()).min(1),
  fallback: z.string().optional(),
  allowAnswer: z.boolean(),
});

const Advisors = z.object({
  agents: z.array(z.string()).min(1),
  require: z.union([z.enum(["any", "all"]), z.int().nonnegative()]),
  timeout: z.int().positive().optional(),
});

const Team = z.object({
  members: z.array(z.string()).min(1),
  /** Whichever comes first; `maxRounds` always binds. */
  termination: z.array(z.enum(["consensus", "maxRounds", "coordinatorDecides"])).min(1),
  maxRounds: z.int().positive(),
  memberMaxTurns: z.int().positive(),
  memberTimeout: z.int().positive().optional(),
  quorum: z.int().positive().optional(),
});

const BestOf = z.object({
  n: z.int().positive(),
  judge: z.string().optional(),
  strategies: z.array(z.string()),
});

/** Agents of one pack know each other by their short names. */
export const baseName = (agent: string): string => agent.replace(/^.*\//, "");

/** How a program is started that speaks the Agent Client Protocol. Values of `env` may name variables: `${NAME}`. */
export const Runner = z.object({
  acp: z.object({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    mode: z.string().optional(),
  }),
});
export type Runner = z.infer<typeof Runner>;

export const Definition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  kind: z.enum(["main", "subagent"]),
  /** Models in the order in which they are tried: `provider/model`, aliases resolved. */
  models: z.array(z.string()).min(1),
  /** `model: inherit`: as a child it uses its parent's models; `models` is for the root of a tree. */
  inheritsModel: z.literal(true).optional(),
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
  /** The agents that it may delegate to, by their full names. */
  agents: z.array(z.string()),
  /** The same, as the model is told of them. */
  delegates: z.array(Delegate).optional(),
  delegation: Delegation.optional(),
  /** False: no model may call it (it is for people). */
  delegable: z.literal(false).optional(),
  /** A hint for whoever delegates to it: what a good task says. */
  usage: z.string().optional(),
  /** What it gets of its parent's conversation as a child, and its children of its own unless they say otherwise. */
  context: ContextMode.optional(),
  /** False: its own words are never the answer; it returns its last child's or handoff's output. */
  finalizes: z.literal(false).optional(),
  handoff: Handoff.optional(),
  router: Router.optional(),
  advisors: Advisors.optional(),
  team: Team.optional(),
  bestOf: BestOf.optional(),
  /** The module beside the agent's file that controls it. */
  steps: z.object({ module: z.string(), hash: z.string() }).optional(),
  /** The program that does its work in the place of a model. */
  runner: Runner.optional(),
  limits: AgentLimits,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  /** Only tools that change nothing, whatever its list says: it drafts. */
  readOnly: z.literal(true).optional(),
  workspace: z.enum(["shared", "worktree"]).optional(),
  pool: z.string().optional(),
  /** The MCP servers that it may use beside those whose tools it names. What an older version kept here had no meaning. */
  mcpServers: z.array(z.string()).optional().catch(undefined),
  icon: z.string().optional(),
  color: z.string().optional(),
  /** The product that its file was written for, if not ours. */
  dialect: z.string().optional(),
  source: z.object({ file: z.string(), hash: z.string() }),
});
export type Definition = z.infer<typeof Definition>;

/** Whose workers drive a run of it, for the run's beginning. */
export const poolIn = ({ pool }: Definition): { pool?: string } => (pool === undefined ? {} : { pool });
