// The schemas of a run's row and its usage. The stores keep the row, the API returns it, and the page shows it.
// The schemas have their own file because the page loads the folds but must not load zod.

import { z } from "zod";
import { RunStatus, StopReason, Trigger, WaitingOn } from "../journal/events.ts";

export const RunUsage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Cost in US dollars of the calls with a known price. */
  cost: z.number(),
  /** Number of calls with an unknown price. If there are any, `cost` is a lower bound. */
  unpriced: z.number(),
  modelCalls: z.number(),
  /** Number of attempts without an answer, and their cost. */
  wastedCalls: z.number(),
  wastedCost: z.number(),
  /** Number of calls that started a tool or a child. Retries of a call do not count, nor do denied and deferred calls. */
  toolCalls: z.number(),
  /** B1: milliseconds that the run spent in its own model and tool calls. */
  activeMs: z.number(),
});
export type RunUsage = z.infer<typeof RunUsage>;

export const RunRow = z.object({
  id: z.string(),
  rootRunId: z.string(),
  parentRunId: z.string().optional(),
  /** The call of the parent that started the run, or the slot of the parent's pattern. */
  parentKey: z.string().optional(),
  /** The root whose budget pays for the run. Absent if it is the root of the run's own tree. */
  budgetRunId: z.string().optional(),
  agent: z.string(),
  definition: z.string(),
  kind: z.enum(["main", "subagent"]),
  depth: z.int(),
  trigger: Trigger,
  task: z.string(),
  mode: z.enum(["auto", "chat"]),
  attended: z.boolean(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
  workspace: z.string(),
  /** The pool that the agent's file names. If absent, a worker that has the tree's workspace drives the run. */
  pool: z.string().optional(),
  status: RunStatus,
  waitingOn: WaitingOn.optional(),
  stopReason: StopReason.optional(),
  summary: z.string().optional(),
  turns: z.int(),
  usage: RunUsage,
  /** P7: after a cancel request nothing new begins in the run. If `endedAt` is absent, the driver still has to end the run. */
  cancelRequested: z.boolean(),
  /** Sequence number of the latest event. */
  seq: z.int(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  updatedAt: z.number(),
  endedAt: z.number().optional(),
});
export type RunRow = z.infer<typeof RunRow>;
