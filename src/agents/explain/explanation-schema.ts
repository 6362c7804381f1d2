// The explanation of an agent, described once: explain.ts computes it, and the API answers with it.

import { z } from "zod";
import { Effect } from "../../journal/definition.ts";
import { EDGE_KEYS } from "../../patterns/declarations/facts.ts";

const Path = z.array(
  z.object({
    /** The key in the agent's file that names the next agent. */
    key: z.enum(EDGE_KEYS),
    to: z.string(),
  }),
);

const HeldTool = z.object({
  name: z.string(),
  effect: Effect,
  /** Patterns that a call must match. Absent if every call is allowed. */
  only: z.array(z.string()).exactOptional(),
});

const NodeLimits = z.object({
  maxTurns: z.number(),
  /** Limit of the active time, in milliseconds. */
  maxDuration: z.number(),
  maxDepth: z.number(),
  maxChildren: z.number(),
  maxTokens: z.number().exactOptional(),
  maxCost: z.number().exactOptional(),
});

const Names = z.array(z.string()).readonly();

const Tools = z.array(HeldTool).readonly();

const Way = z.object({
  path: Path,
  depth: z.int(),
  models: Names,
  tools: Tools,
  /** Rules that deny some calls of a tool. */
  deny: Names,
  limits: NodeLimits,
});

const BlastRadius = z.object({
  changesFiles: z.boolean(),
  runsCommands: z.boolean(),
  reachesNetwork: z.boolean(),
  /** Tools that do more than read, and the agents that have them. */
  tools: z.array(
    HeldTool.omit({ only: true }).extend({
      by: z.array(z.object({ agent: z.string(), path: Path, only: z.array(z.string()).exactOptional() })),
    }),
  ),
});

export const Explanation = z.object({
  agent: z.string(),
  /** Display name, if it differs from the name. */
  title: z.string().exactOptional(),
  file: z.string(),
  description: z.string(),
  kind: z.enum(["main", "subagent"]),
  /** True if the agent's own text is the final answer. */
  isTerminal: z.boolean(),
  /** Agents whose text may be the final answer, and the path to them. */
  terminals: z.array(z.object({ agent: z.string(), path: Path })),
  models: Names,
  /** The external program that does the agent's work. Only the program's sandbox limits what it does without asking. */
  runner: z.string().exactOptional(),
  tools: Tools,
  limits: NodeLimits,
  reachable: z.array(z.object({ agent: z.string(), ways: z.array(Way) })),
  /** Paths that end early, because the last agent of the path is not started. */
  stops: z.array(z.object({ path: Path, why: z.enum(["max-depth", "on-the-path", "broken", "too-many"]) })),
  blastRadius: BlastRadius,
  /** The numbers are `capped` if the limit of the whole tree applies. */
  worstCase: z.object({
    runs: z.number(),
    turns: z.number(),
    /** Cost in dollars. Absent if some agent on the way has no cost limit. */
    maxCost: z.number().exactOptional(),
    capped: z.boolean(),
  }),
});
export type Explanation = z.infer<typeof Explanation>;
export type ReachableAgent = Explanation["reachable"][number];
export type ReachPath = ReachableAgent["ways"][number];
