// A run's row and its usage, described once: the stores keep the row, the API answers with it, and the page shows it.
// The schemas are in a file of their own because the page loads the folds, and must not load zod with them.

import { z } from "zod";
import { RunStatus, StopReason, Trigger, WaitingOn } from "../journal/events.ts";

export const RunUsage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** US dollars for calls with a known price. */
  cost: z.number(),
  /** Calls with an unknown price. If there are any, `cost` is a lower bound. */
  unpriced: z.number(),
  modelCalls: z.number(),
  /** Attempts without an answer, and what they cost. */
  wastedCalls: z.number(),
  wastedCost: z.number(),
  /** Calls that started a tool or a child, each counted once however many attempts it took. Denied and deferred calls do not count. */
  toolCalls: z.number(),
  /** B1: milliseconds that the run spent in its own model and tool calls. */
  activeMs: z.number(),
});
export type RunUsage = z.infer<typeof RunUsage>;

export const RunRow = z.object({
  id: z.string(),
  rootRunId: z.string(),
  parentRunId: z.string().optional(),
  /** The parent's call, or the slot of its pattern, that started the run. */
  parentKey: z.string().optional(),
  /** The root whose budget pays for the run; absent: its own root. */
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
  /** The pool that the agent names; absent: the workspace of the tree decides. */
  pool: z.string().optional(),
  status: RunStatus,
  waitingOn: WaitingOn.optional(),
  stopReason: StopReason.optional(),
  summary: z.string().optional(),
  turns: z.int(),
  usage: RunUsage,
  /** P7: nothing new begins in the run. Without `endedAt`, its driver still has to cancel it. */
  cancelRequested: z.boolean(),
  /** Sequence number of the latest event. */
  seq: z.int(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  updatedAt: z.number(),
  endedAt: z.number().optional(),
});
export type RunRow = z.infer<typeof RunRow>;
