// The schema of the explanation of a run. The projection finds the explanation, and the API returns it.
// The schema has its own file because the page loads the projection but must not load zod.

import { z } from "zod";
import { RunStatus } from "../../journal/events.ts";

export const Reason = z.object({
  runId: z.string(),
  agent: z.string(),
  seq: z.int(),
  ts: z.number(),
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
  /** Seq of the event that is explained. Absent if the state of the run is explained. */
  seq: z.int().exactOptional(),
  /** The explanation in one sentence. */
  answer: z.string(),
  /** The time since which the explanation is true. */
  since: z.number(),
  /** First cause of a failure, in the run or in a descendant. */
  first: Reason.exactOptional(),
  /** The causes of a failure, from the first cause up to this run. For other events the chain leads back to the task. */
  chain: z.array(Reason),
  /** Actions that a person can take now. */
  next: z.array(z.string()),
});
export type Why = z.infer<typeof Why>;
