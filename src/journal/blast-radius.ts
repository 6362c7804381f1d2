// The blast radius of a delegation or route: everything that the started agent could do, and the agents that it could start in turn.
// The blast radius is recorded when a person is asked. Agent files can change later, but the recorded approval must not change.

import { z } from "zod";

export const POWERS = ["commands", "files", "network"] as const;
export type Power = (typeof POWERS)[number];

/** True if no agent at work in the tree has this ability yet. */
const isNew = z.literal(true).exactOptional();

export const BlastRadius = z.object({
  /** Full name of the agent that would be started. */
  agent: z.string(),
  /** The started agent and all agents that it could start, directly or indirectly. Each agent is listed once, with its shortest path, nearest first. */
  agents: z.array(
    z.object({
      agent: z.string(),
      /** The agent that starts this agent, and the key in its file that names this agent. Absent for the first agent. */
      from: z.string().exactOptional(),
      key: z.string().exactOptional(),
      isNew,
    }),
  ),
  /** Levels of delegation below the agent that would be started. */
  levels: z.int(),
  powers: z.array(z.object({ power: z.enum(POWERS), isNew })),
  /** Tools that change something or reach the network, and the agents that have them. */
  tools: z.array(
    z.object({
      name: z.string(),
      by: z.array(z.string()),
      /** Patterns that restrict the tool's calls: `Write(src/**)`. */
      only: z.array(z.string()).exactOptional(),
      /** Whether the tool can change files. `paths`: it can change the files that match `only`, or all files if `only` is absent. */
      files: z.enum(["any", "paths"]).exactOptional(),
      isNew,
    }),
  ),
  /** `isClass` is true if the entry stands for several hosts, such as `any public host`. */
  hosts: z.array(z.object({ host: z.string(), isClass: z.literal(true).exactOptional(), isNew })),
  /** Deny rules that forbid some calls of these tools. They come from the agent and from the agents above it. */
  never: z.array(z.string()),
  /** Worst case: number of runs and model turns, and cost in dollars. If `maxCost` is absent, the cost has no limit. */
  runs: z.int(),
  turns: z.int(),
  maxCost: z.number().exactOptional(),
  /** Number of entries that were left out to keep the lists readable. */
  more: z.int().exactOptional(),
});
export type BlastRadius = z.infer<typeof BlastRadius>;
