// The keys of our agent files: one schema each, the other names that people use for them, and the list of those that
// this version reads but does not act on yet.

import { z } from "zod";
import { Duration } from "../config/duration.ts";
import { onlyKeys } from "../config/keys.ts";
import { LimitsInput } from "../config/schema.ts";

/** `Read, Bash(git log, git diff)` or a list; commas inside parentheses belong to the pattern. */
export const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (typeof value === "string" ? value.split(/,(?![^(]*\))/) : value)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );

const ToolsMap = onlyKeys({ allow: Names.optional(), ask: Names.optional(), deny: Names.optional() });

export const Tools = z.union([z.null(), Names, ToolsMap]);

const text = z.string();
const loose = z.looseObject({});
const target = z.union([text, loose]);
const targets = z.union([text, z.array(target), loose]);

export const KEYS = {
  name: z.union([text, z.number().transform(String)]),
  title: text,
  description: text,
  kind: z.enum(["main", "subagent"]),
  model: z.union([z.null(), text, z.array(text).min(1)]),
  temperature: z.number().min(0),
  maxOutputTokens: z.int().positive(),
  reasoning: z.union([
    text,
    z.number().transform(String),
    z.boolean().transform((on) => (on ? "medium" : "none")),
  ]),
  tools: Tools,
  disallowedTools: Names,
  permissions: onlyKeys({ ask: Names.optional(), deny: Names.optional() }),
  policy: z.union([z.array(z.enum(["Patch", "Finalize", "Delegate"])), loose]),
  delegate_targets: Names,
  agents: z.union([z.null(), Names]),
  delegation: loose,
  context: z.enum(["none", "summary", "selective", "full"]),
  handoff: target,
  router: z.union([z.literal(true), loose]),
  advisors: targets,
  team: loose,
  bestOf: z.union([z.int().positive(), loose]),
  steps: text,
  runner: loose,
  input: z.union([text, loose]),
  output: z.union([text, loose]),
  limits: LimitsInput,
  maxTurns: z.int().nonnegative(),
  maxDuration: Duration,
  workspace: z.enum(["shared", "worktree"]),
  pool: text,
  mcpServers: z.union([z.array(z.unknown()), loose]),
  extends: text,
  dialect: text,
  icon: z.unknown(),
  color: z.unknown(),
};

export const KEY_ALIASES: Readonly<Record<string, keyof typeof KEYS>> = {
  subagents: "agents",
  spawnableAgents: "agents",
  allowedDelegations: "agents",
  delegates: "agents",
  maxIterations: "maxTurns",
  max_iters: "maxTurns",
  max_turns: "maxTurns",
  disallowed_tools: "disallowedTools",
  allowedTools: "tools",
  "allowed-tools": "tools",
};

/** Read and checked, but without effect in this version. Shrinks as the features arrive. */
export const NOT_YET: readonly (keyof typeof KEYS)[] = [
  "agents",
  "delegation",
  "context",
  "handoff",
  "router",
  "advisors",
  "team",
  "bestOf",
  "steps",
  "runner",
  "input",
  "workspace",
  "pool",
  "mcpServers",
  "extends",
];
