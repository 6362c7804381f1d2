// Usage reports and statistics of agents, described once: projections compute them, and the API answers with them.
// The schemas are in a file of their own because the page loads the projections, and must not load zod with them.

import { z } from "zod";
import { RunUsage } from "../run-row-schema.ts";

/** Share of successes among runs that succeeded or failed. Cancelled runs do not count. Null if there are none. */
const successRate = z.number().nullable();

export const AgentTally = z.object({
  runs: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  successRate,
  turns: z.int(),
  tokens: z.number(),
  /** Cost in US dollars of the calls with a known price. */
  cost: z.number(),
  unpriced: z.number(),
  activeMs: z.number(),
  /** Start times of the first and the latest run. */
  firstAt: z.number(),
  lastAt: z.number(),
});
export type AgentTally = z.infer<typeof AgentTally>;

const UsageOverTime = z.object({
  /** Length of an interval in milliseconds. */
  every: z.number(),
  /** Usage of each interval, in the order of time. Empty intervals are left out. */
  spent: z.array(
    RunUsage.omit({ toolCalls: true, activeMs: true }).extend({
      from: z.number(),
      agent: z.string(),
      model: z.string(),
      turns: z.int(),
    }),
  ),
  runs: z.array(
    z.object({
      from: z.number(),
      started: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      /** Depth of the deepest run that started. */
      depth: z.int(),
    }),
  ),
  trees: z.object({
    completed: z.int(),
    /** Number of completed trees in which no person had to decide or answer anything. */
    withoutPeople: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    /** Number of runs started at each depth. */
    depths: z.array(z.int()),
    /** Working time of all runs added up, and the time during which at least one run of a tree worked. */
    workMs: z.number(),
    busyMs: z.number(),
    /** Number of trees with a reviewing agent (review, critic or audit in its name), and of runs of such agents. */
    reviewed: z.int(),
    reviews: z.int(),
    /** Trees of several runs: their usage, and an estimate for one agent alone. */
    together: z.object({
      trees: z.int(),
      tokens: z.number(),
      cost: z.number(),
      singleTokens: z.number(),
      /** Null if the token price of a root run is unknown. */
      singleCost: z.number().nullable(),
    }),
  }),
});

export const UsageReport = z.object({
  /** The most expensive agent first. */
  byAgent: z.array(RunUsage.extend({ agent: z.string(), runs: z.int() })),
  byModel: z.array(RunUsage.omit({ toolCalls: true }).extend({ model: z.string() })),
  /** The most used delegation first. */
  byEdge: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      started: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      successRate,
    }),
  ),
  /** Present if the request has `every`. */
  overTime: UsageOverTime.exactOptional(),
});
export type UsageReport = z.infer<typeof UsageReport>;
export type UsageOverTime = z.infer<typeof UsageOverTime>;
