// Past runs of an agent, as they would go with its file as it is now.

import { z } from "zod";
import { RunUsageView } from "./routes/answers.ts";

export const AgentReplayView = z.object({
  agent: z.string(),
  /** Newest first. */
  runs: z.array(
    z.object({
      runId: z.string(),
      task: z.string(),
      createdAt: z.number(),
      /** What it and all below it have used. */
      usage: RunUsageView,
      /** That were made again. */
      decisions: z.int(),
      /** At the first event where something would be another one; absent: nothing would. */
      difference: z
        .object({
          seq: z.int(),
          /** `-` lines as it was, `+` lines as it would be. */
          changes: z.array(z.object({ what: z.string(), lines: z.array(z.string()) })),
        })
        .exactOptional(),
      /** Why it could not be replayed. */
      problem: z.string().exactOptional(),
    }),
  ),
  /** Of those that differ: what running them again would use, by what they have used. */
  again: z.object({ runs: z.int(), usage: RunUsageView }),
});
export type AgentReplayView = z.infer<typeof AgentReplayView>;
