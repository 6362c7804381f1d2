// The pinned definition: the resolved, complete agent that a run uses, stored once as a blob under its hash.
// Editing an agent's file affects the agent's next run, never a run that is under way.

import { z } from "zod";
import { omitUndefined } from "../omit-undefined.ts";
import { pinnedSchemas } from "../patterns/declarations/facts.ts";
import { PinnedReasoning } from "./reasoning.ts";

/** The effect of a tool call on the world. It decides what happens to the call after a crash: `unsafe` calls are never repeated silently. */
export const Effect = z.enum(["read", "idempotent", "unsafe"]);
export type Effect = z.infer<typeof Effect>;

/** The default policy when no rule matches. */
export const PRESETS = ["read-only", "ask", "edits", "trusted"] as const;
export type Preset = (typeof PRESETS)[number];

export const Rules = z.object({
  preset: z.enum(PRESETS).exactOptional(),
  allow: z.array(z.string()).default([]),
  ask: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
});
export type Rules = z.infer<typeof Rules>;

/** The rules that a run was started with. Those of a person who is no admin never allow a call on a protected file (A81). */
export const RunRules = Rules.extend({ sparesProtected: z.literal(true).exactOptional() });
export type RunRules = z.infer<typeof RunRules>;

export const AgentLimits = z.object({
  maxTurns: z.int().nonnegative().optional(),
  /** Limit on active time, in milliseconds. */
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

/** The limits of a run. A limit does not apply if it is absent and has no default. */
export const Limits = AgentLimits.extend({
  maxTurns: z.int().nonnegative(),
  maxDuration: z.int().nonnegative(),
  maxToolCallsPerTurn: z.int().nonnegative(),
  maxDepth: z.int().nonnegative(),
  maxEvents: z.int().nonnegative(),
  onBudget: z.enum(["stop", "suspend"]),
  tree: AgentLimits.shape.tree
    .unwrap()
    /** The reaction when the tree's budget is used up. Only the root's value applies. The run's own budget has a separate `onBudget`. */
    .extend({ onBudget: z.enum(["stop", "suspend"]).optional() })
    .optional(),
});
export type Limits = z.infer<typeof Limits>;

const MINUTE = 60_000;

export const DEFAULT_LIMITS: Limits = {
  maxTurns: 100,
  maxDuration: 30 * MINUTE,
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
  /**
   * `generic`: one tool `delegate`. `per-agent`: one tool `run_<name>_agent` for each agent.
   * The other two values are tool names of other products.
   */
  tool: z.enum(["generic", "per-agent", "delegate_to_agent", "mcp__agent__spawn"]),
  onFailure: z.enum(["return", "fail", "retry"]),
  /** The reaction to a child whose time was over before it could report. If absent, `onFailure` applies. */
  onTimeout: z.enum(["return", "fail"]).optional(),
  /** The reaction of a finished run to children for which it did not wait. */
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

/** An agent to which this agent can delegate, as it was when the definition was pinned. */
export const Delegate = z.object({
  /** The name that the model uses, as written in the agent's file: `planner` for `factory/planner`. */
  name: z.string(),
  /** The agent's full name. */
  agent: z.string(),
  description: z.string(),
  /** How much of the delegating agent's conversation this agent sees, unless the call overrides it. Absent if it sees none of it. */
  context: ContextMode.optional(),
});
export type Delegate = z.infer<typeof Delegate>;

/** A file with instructions for all agents, such as AGENTS.md, as it was when the run started. */
export const InstructionFile = z.object({
  /** Path relative to the project, or `~/…` for a file of the user. */
  file: z.string(),
  text: z.string(),
  /** The nonce of the mark around the text. Present only if the project's folder is not trusted. */
  nonce: z.string().optional(),
});
export type InstructionFile = z.infer<typeof InstructionFile>;

/** Prefix of `source.file` for an agent whose text was edited for a fork. The edited text is not trusted, wherever the file is. */
export const EDITED = "edited:";

/** Whether the agent would start a program or a module of its own. */
export const startsPrograms = ({ runner, steps }: Pick<Definition, "runner" | "steps">): boolean =>
  runner !== undefined || steps !== undefined;

/** How to start a program that speaks the Agent Client Protocol. Values of `env` can refer to variables: `${NAME}`. */
export const Runner = z.object({
  acp: z.object({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    mode: z.string().optional(),
  }),
});
export type Runner = z.infer<typeof Runner>;

/** A skill that the agent can load: instructions for a kind of work, in a folder with a file `SKILL.md`. */
export const PinnedSkill = z.object({
  name: z.string(),
  /** Purpose of the skill. Empty if the skill is untrusted, because untrusted text is shown only as the result of a call. */
  description: z.string(),
  /** Path of SKILL.md, relative to the project; `~/…` for the user's own, `builtin:…` for a pack of Cadre. */
  file: z.string(),
  /** True if the skill belongs to a folder that is not trusted. */
  untrusted: z.literal(true).optional(),
  /** Calls that need no approval by default once the skill is loaded. */
  allowedTools: z.array(z.string()).optional(),
  /** True if the agent is told to load the skill before it begins. Claude Code loads the skills that an agent's file names at its start. */
  first: z.literal(true).optional(),
});
export type PinnedSkill = z.infer<typeof PinnedSkill>;

export const Definition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  kind: z.enum(["main", "subagent"]),
  /** Models in the order in which they are tried: `provider/model`, with aliases resolved. */
  models: z.array(z.string()).min(1),
  /** True for `model: inherit`: a child uses its parent's models. In this case, `models` applies only at the root of a tree. */
  inheritsModel: z.literal(true).optional(),
  temperature: z.number().optional(),
  maxOutputTokens: z.int().positive().optional(),
  reasoning: PinnedReasoning.optional(),
  /** The system prompt before composition: the body of the agent's file with its includes resolved. */
  prompt: z.string(),
  /** The instruction files that the agent gets: none, the usual ones, or these. If absent, cadre.yaml decides. */
  instructions: z.union([z.boolean(), z.array(z.string())]).optional(),
  /** The instructions that the run gets. A child gets its parent's instructions, unless the two agents ask for different files. */
  instructionFiles: z.array(InstructionFile).optional(),
  /**
   * The tools that this agent can call: names, globs, and patterns for `ask` and `deny`.
   * If `allow` is absent, all tools are allowed. If `allow` is empty, no tool is allowed.
   */
  tools: z.object({
    allow: z.array(z.string()).optional(),
    ask: z.array(z.string()),
    deny: z.array(z.string()),
  }),
  /** The names under which the model is offered tools, if the agent's file names them by an alias: `{ Read: "read_file" }`. */
  toolNames: z.record(z.string(), z.string()).optional(),
  /** Permission rules for this agent and its whole subtree. */
  permissions: z.object({ ask: z.array(z.string()), deny: z.array(z.string()) }),
  /** Full names of the agents to which this agent can delegate. */
  agents: z.array(z.string()),
  /** Full names of the main agents to which this agent can send messages, because it is a main agent that may use every tool (S4-12). */
  mains: z.array(z.string()).optional(),
  /** The agents listed in `agents`, as the model sees them. */
  delegates: z.array(Delegate).optional(),
  delegation: Delegation.optional(),
  /** False if only people can start this agent, and models cannot. */
  delegable: z.literal(false).optional(),
  /** False if an MCP client cannot start this agent, although it is a main agent (S1-8). */
  startable: z.literal(false).optional(),
  /** A hint for agents that delegate to this agent: it describes a good task. */
  usage: z.string().optional(),
  /** How much of the parent's conversation this agent sees as a child. This is also the default for its own children. */
  context: ContextMode.optional(),
  /** False if the run returns the output of its last child or handoff instead of its own answer. */
  finalizes: z.literal(false).optional(),
  ...pinnedSchemas,
  /** The external program that does the agent's work instead of a model. */
  runner: Runner.optional(),
  limits: AgentLimits,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  /** True for a run that writes a draft for best-of. It gets only read-only tools, whatever the agent's list of tools says. */
  readOnly: z.literal(true).optional(),
  workspace: z.enum(["shared", "worktree"]).optional(),
  pool: z.string().optional(),
  /** MCP servers that the agent can use, besides the servers whose tools are named in its file. */
  mcpServers: z.array(z.string()).optional(),
  /** Names of the skills that the agent's file lists. If absent, the agent can load all skills. */
  skillNames: z.array(z.string()).optional(),
  /** The skills that the agent can load. */
  skills: z.array(PinnedSkill).optional(),
  icon: z.string().optional(),
  color: z.string().optional(),
  /** The product for which the agent's file was written, if that is not Cadre. */
  dialect: z.string().optional(),
  source: z.object({ file: z.string(), hash: z.string() }),
});
export type Definition = z.infer<typeof Definition>;

/** Files of an untrusted folder that the prompt of the agent's runs contains as text. */
export const untrustedFiles = ({ instructionFiles = [] }: Definition): string[] =>
  instructionFiles.flatMap(({ file, nonce }) => (nonce === undefined ? [] : [file]));

/** The field `pool` for the RUN_STARTED event of a new run. Empty if the agent names no pool. */
export const poolIn = ({ pool }: Definition): { pool?: string } => omitUndefined({ pool });
