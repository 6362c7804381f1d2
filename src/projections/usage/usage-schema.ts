// The schemas of usage reports and statistics of agents. Projections compute them, and the API returns them.
// The schemas have their own file because the page loads the projections but must not load zod.

import { z } from "zod";
import { RunUsage } from "../run-row-schema.ts";

/** Share of successes among runs that succeeded or failed. Cancelled runs do not count. Null if no run succeeded or failed. */
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
    /** Total working time of all runs, and the time in which at least one run of a tree was working. */
    workMs: z.number(),
    busyMs: z.number(),
    /** Number of trees with a reviewing agent (review, critic or audit in its name), and number of runs of such agents. */
    reviewed: z.int(),
    reviews: z.int(),
    /** Trees of several runs: their usage, and an estimate for a single agent. */
    together: z.object({
      trees: z.int(),
      tokens: z.number(),
      cost: z.number(),
      singleTokens: z.number(),
      /** The estimated cost. Null if the token price of a root run is unknown. */
      singleCost: z.number().nullable(),
    }),
  }),
});

/** Half of all durations, and 95 percent of them, are at most this long. In milliseconds, accurate to five percent. Null if there is none. */
const percentiles = { p50: z.number().nullable(), p95: z.number().nullable() };

export const UsageReport = z.object({
  /** Agents, the most expensive first. The percentiles are those of the working time of ended runs. */
  byAgent: z.array(RunUsage.extend({ agent: z.string(), runs: z.int(), ...percentiles })),
  /** The percentiles are those of the duration of answered calls. */
  byModel: z.array(RunUsage.omit({ toolCalls: true }).extend({ model: z.string(), ...percentiles })),
  /** The most expensive trees. A tree is named by its top run. */
  byTree: z.array(
    RunUsage.extend({
      runId: z.string(),
      agent: z.string(),
      /** Beginning of the task. */
      task: z.string(),
      user: z.string().optional(),
      runs: z.int(),
      /** How the top run ended. Absent if it has not ended. */
      end: z.enum(["completed", "failed", "cancelled"]).optional(),
    }),
  ),
  /** Number of all trees, of which `byTree` lists the most expensive. */
  trees: z.int(),
  /** People, the most expensive first. `user` is absent for trees that no named person started. */
  byPerson: z.array(RunUsage.extend({ user: z.string().optional(), trees: z.int(), runs: z.int() })),
  /** Delegations, the most used first. */
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
  /** The usage over time. Present if the request names an interval with `every`. */
  overTime: UsageOverTime.exactOptional(),
});
export type UsageReport = z.infer<typeof UsageReport>;
export type UsageOverTime = z.infer<typeof UsageOverTime>;
