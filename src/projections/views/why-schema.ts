// The explanation of a run, described once: the projection finds it, and the API answers with it.
// The schema is in a file of its own because the page loads the projection, and must not load zod with it.

import { z } from "zod";
import { RunStatus } from "../../journal/events.ts";

export const Reason = z.object({
  runId: z.string(),
  agent: z.string(),
  seq: z.int(),
  ts: z.number(),
  /** Type of the event. */
  type: z.string(),
  what: z.string(),
  because: z.string().exactOptional(),
  /** The event that caused this one. */
  cause: z.object({ runId: z.string(), seq: z.int() }).exactOptional(),
});
export type Reason = z.infer<typeof Reason>;

export const Why = z.object({
  runId: z.string(),
  agent: z.string(),
  task: z.string(),
  status: RunStatus,
  /** The event that is explained. */
  seq: z.int().exactOptional(),
  /** The explanation in one sentence. */
  answer: z.string(),
  /** Time since which the explanation applies. */
  since: z.number(),
  /** First cause of a failure, in the run or any descendant. */
  first: Reason.exactOptional(),
  /** The causes of a failure, from the first one up to this run. For other events the chain leads back to the task. */
  chain: z.array(Reason),
  /** Actions that a person can take now. */
  next: z.array(z.string()),
});
export type Why = z.infer<typeof Why>;
