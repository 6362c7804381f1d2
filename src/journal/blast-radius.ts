// The blast radius of a delegation or a route, as it was when a person was asked: what the agent and everybody whom it
// could start could do. Agents are files and may change; what a yes was given to must not.

import { z } from "zod";

export const POWERS = ["commands", "files", "network"] as const;
export type Power = (typeof POWERS)[number];

/** Nobody who is at work in the tree could do it already. */
const isNew = z.literal(true).exactOptional();

export const BlastRadius = z.object({
  /** Who would be started, by its full name. */
  agent: z.string(),
  /** It and everybody whom it could start, once each, by the shortest way; the nearest first. */
  agents: z.array(
    z.object({
      agent: z.string(),
      /** Who starts it, and by which key of its file; absent: it is the one that is asked about. */
      from: z.string().exactOptional(),
      key: z.string().exactOptional(),
      isNew,
    }),
  ),
  /** Levels of delegation below the one that asks. */
  levels: z.int(),
  powers: z.array(z.object({ power: z.enum(POWERS), isNew })),
  /** Those that change something or reach the network, and who holds them. */
  tools: z.array(
    z.object({
      name: z.string(),
      by: z.array(z.string()),
      /** Only calls like these: `Write(src/**)`. */
      only: z.array(z.string()).exactOptional(),
      isNew,
    }),
  ),
  hosts: z.array(z.object({ host: z.string(), isNew })),
  /** Rules from above and of its own that forbid some calls of these tools. */
  never: z.array(z.string()),
  /** At worst: runs and turns of a model, and dollars; absent: no limit holds the money. */
  runs: z.int(),
  turns: z.int(),
  maxCost: z.number().exactOptional(),
  /** How much was left out of the lists: there was too much for anybody to read. */
  more: z.int().exactOptional(),
});
export type BlastRadius = z.infer<typeof BlastRadius>;
