// Advisors: before the agent's first turn, other agents are asked. The agent reads their advice together with its task.

import { z } from "zod";
import { Duration } from "../../config/duration.ts";
import { SomeNames } from "../../config/names.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { declarePattern } from "./declaration.ts";
import { errorAt } from "./finding.ts";
import { totalCost } from "./run-cost.ts";

const Require = z.union([z.enum(["any", "all"]), z.int().nonnegative()]);

const AdvisorsInput = z.union([
  SomeNames,
  z.strictObject({
    agents: SomeNames,
    require: Require.optional().describe("How many advisors must answer (any)"),
    timeout: Duration.optional().describe("How long an advisor may take"),
  }),
]);

export const advisors = declarePattern({
  key: "advisors",
  stage: "before",
  input: AdvisorsInput.describe("Agents that give advice before it starts"),
  pinned: z.object({
    agents: z.array(z.string()).min(1),
    require: Require,
    /** The timeout in milliseconds. */
    timeout: z.int().positive().optional(),
  }),
  pin(written) {
    if (Array.isArray(written)) return { agents: written, require: "any" as const };
    const { agents, require: required = "any", timeout } = written;
    return omitUndefined({ agents, require: required, timeout: timeout || undefined });
  },
  agentFields: ["agents"],
  isOnlyOurs: true,
  trigger: {
    name: "advisor",
    part: () => "advisor",
    badge: () => ({ start: "ADVICE OF", what: "ADVICE" }),
    reason: (agent) => `its agent's file names ${agent} as an advisor`,
    takesOver: false,
  },
  edge: {
    verb: "asks the advisor",
    label: "advisor",
    meaning: "gives advice before the agent starts",
    line: { width: 1.5, dash: "2 4" },
  },
  answer: "own",
  worstCase: (_, { below }) => totalCost(below),
  *check({ agents, require: required }) {
    if (typeof required !== "number" || required <= agents.length) return;
    const advisors = `${agents.length} advisor${agents.length === 1 ? "" : "s"}`;
    yield errorAt("advisors", "REQUIRE_TOO_HIGH", `\`require: ${required}\` can never be met by ${advisors}`);
  },
});
