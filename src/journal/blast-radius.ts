// The blast radius of a delegation or route: everything that the started agent, and the agents it could start in turn, could do.
// It is recorded when a person is asked, because agent files may change later and an approval must not change with them.

import { z } from "zod";

export const POWERS = ["commands", "files", "network"] as const;
export type Power = (typeof POWERS)[number];

/** True if no agent at work in the tree could do this already. */
const isNew = z.literal(true).exactOptional();

export const BlastRadius = z.object({
  /** Full name of the agent that would be started. */
  agent: z.string(),
  /** That agent and all agents it could start, directly or not: each once, by the shortest path, nearest first. */
  agents: z.array(
    z.object({
      agent: z.string(),
      /** The agent that starts it, and the key of its file that says so. Absent for the agent asked about. */
      from: z.string().exactOptional(),
      key: z.string().exactOptional(),
      isNew,
    }),
  ),
  /** Levels of delegation below the asking run. */
  levels: z.int(),
  powers: z.array(z.object({ power: z.enum(POWERS), isNew })),
  /** Tools that change something or reach the network, and the agents that have them. */
  tools: z.array(
    z.object({
      name: z.string(),
      by: z.array(z.string()),
      /** Patterns that the calls are restricted to: `Write(src/**)`. */
      only: z.array(z.string()).exactOptional(),
      /** Whether the tool can change files. `paths`: only those that `only` names, or all of them without `only`. */
      files: z.enum(["any", "paths"]).exactOptional(),
      isNew,
    }),
  ),
  /** `isClass`: not one host but a whole class, such as `any public host`. */
  hosts: z.array(z.object({ host: z.string(), isClass: z.literal(true).exactOptional(), isNew })),
  /** Deny rules, its own and from above, that forbid some calls of these tools. */
  never: z.array(z.string()),
  /** Worst case: number of runs and model turns, and cost in dollars. No `maxCost`: no limit applies to the cost. */
  runs: z.int(),
  turns: z.int(),
  maxCost: z.number().exactOptional(),
  /** Number of entries left out of the lists above, to keep them readable. */
  more: z.int().exactOptional(),
});
export type BlastRadius = z.infer<typeof BlastRadius>;
