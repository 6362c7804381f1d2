// Parses limits as people write them: durations as text, and other names for `maxTurns`.
// The result is an `AgentLimits`, as in the journal. Its durations are in milliseconds, and its limit on turns is always called `maxTurns`.

import { z } from "zod";
import { Duration } from "./duration.ts";

export const TURNS_ALIASES = {
  maxIterations: "maxTurns",
  max_iters: "maxTurns",
  max_turns: "maxTurns",
} as const;

const count = z.int().nonnegative();
const sameAsTurns = count.optional().describe("Another name of `maxTurns`");

const Written = z.strictObject({
  maxTurns: count.optional().describe("Answers of the model (100)"),
  maxIterations: sameAsTurns,
  max_iters: sameAsTurns,
  max_turns: sameAsTurns,
  maxDuration: Duration.optional().describe("Active time; waiting does not count (30m)"),
  approvalTimeout: Duration.optional().describe(
    "How long Cadre waits for a person at a terminal (without it: as long as it takes)",
  ),
  maxToolCallsPerTurn: count.optional().describe("Calls in one answer (10)"),
  toolTimeout: Duration.optional().describe("How long a call may take, unless its tool says otherwise (2m)"),
  maxTokens: count.optional().describe("The run's own tokens"),
  maxCost: z.number().nonnegative().optional().describe("The run's own cost, in dollars"),
  maxDepth: count.optional().describe("Delegations below each other (3)"),
  maxChildren: count.optional().describe("Children of one run (20)"),
  maxEvents: count.optional().describe("Events in the journal (100,000)"),
  onBudget: z
    .enum(["stop", "suspend"])
    .optional()
    .describe("What a spent budget means: one last turn, or a person is asked"),
  tree: z
    .strictObject({
      maxTokens: count.optional(),
      maxCost: z.number().nonnegative().optional(),
      maxRuns: count.optional().describe("Runs in the tree (100)"),
    })
    .optional()
    .describe("The same for a run and everything below it, together"),
});

export const LimitsInput = Written.superRefine((written, context) => {
  const [first, second] = Object.keys(written).filter((key) => TURNS.has(key));
  if (second === undefined) return;
  const message = `and \`${first}\` both set \`maxTurns\``;
  context.addIssue({ code: "custom", path: [second], message });
}).transform(({ maxIterations, max_iters, max_turns, ...own }) => {
  const maxTurns = own.maxTurns ?? maxIterations ?? max_iters ?? max_turns;
  return maxTurns === undefined ? own : { ...own, maxTurns };
});

const TURNS = new Set(["maxTurns", ...Object.keys(TURNS_ALIASES)]);
