// The schema of an agent's explanation. `explain.ts` computes the explanation, and the API returns it.

import { z } from "zod";
import { Effect } from "../../journal/definition.ts";
import { EDGE_KEYS } from "../../patterns/declarations/facts.ts";

const Path = z.array(
  z.object({
    /** The key in the agent's file that refers to the next agent. */
    key: z.enum(EDGE_KEYS),
    to: z.string(),
  }),
);

const HeldTool = z.object({
  name: z.string(),
  effect: Effect,
  /** Patterns of the allowed calls. Absent if every call of the tool is allowed. */
  only: z.array(z.string()).exactOptional(),
});

const NodeLimits = z.object({
  maxTurns: z.number(),
  /** Limit on the active time of a run, in milliseconds. */
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
  /** Tools that can do more than read, with the agents that have them. */
  tools: z.array(
    HeldTool.omit({ only: true }).extend({
      by: z.array(z.object({ agent: z.string(), path: Path, only: z.array(z.string()).exactOptional() })),
    }),
  ),
});

export const Explanation = z.object({
  agent: z.string(),
  /** Display name of the agent. Absent if it equals the agent's name. */
  title: z.string().exactOptional(),
  file: z.string(),
  description: z.string(),
  kind: z.enum(["main", "subagent"]),
  /** True if the agent's own text is the final answer. */
  isTerminal: z.boolean(),
  /** Agents whose text can become the final answer, and the path to each of them. */
  terminals: z.array(z.object({ agent: z.string(), path: Path })),
  models: Names,
  /** The external program that does the agent's work. If the program acts without asking Cadre, only its sandbox limits the action. */
  runner: z.string().exactOptional(),
  tools: Tools,
  /** Files with instructions for the agent, such as AGENTS.md, and a sentence for each file that was left out or cut. */
  instructions: z.object({
    files: z.array(z.object({ file: z.string(), characters: z.int() })).readonly(),
    /** Whether the folder is trusted. If it is not, the project's files are marked as untrusted. */
    trusted: z.boolean(),
    problems: Names,
  }),
  limits: NodeLimits,
  reachable: z.array(z.object({ agent: z.string(), ways: z.array(Way) })),
  /** Paths that stop early. The last agent of such a path is not started. */
  stops: z.array(z.object({ path: Path, why: z.enum(["max-depth", "on-the-path", "broken", "too-many"]) })),
  blastRadius: BlastRadius,
  /** `capped` is set if the numbers come from the limit of the whole tree. */
  worstCase: z.object({
    runs: z.number(),
    turns: z.number(),
    /** Cost in dollars. Absent if some reachable agent has no cost limit, or a model without a known price. */
    maxCost: z.number().exactOptional(),
    /** Models without a known price: their cost is not limited by `maxCost`. */
    unpriced: z.array(z.string()).exactOptional(),
    capped: z.boolean(),
  }),
});
export type Explanation = z.infer<typeof Explanation>;
export type ReachableAgent = Explanation["reachable"][number];
export type ReachPath = ReachableAgent["ways"][number];
