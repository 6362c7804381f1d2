// Handoff: another agent receives the agent's answer and gives the final answer.

import { z } from "zod";
import { AgentName } from "../../config/names.ts";
import { declarePattern } from "./declaration.ts";
import { timesCost, totalCost } from "./run-cost.ts";

const OnFailure = z.enum(["fail", "return", "retry"]);

const Pass = z.enum(["request+result", "result"]);

const HandoffInput = z
  .strictObject({
    agent: AgentName.optional().describe("Agent that gets its answer and gives the final one"),
    to: AgentName.optional().describe("Another name of `agent`"),
    pass: Pass.optional().describe(
      "What that agent reads: the request and this agent's answer, or the answer alone (`handoff.pass` of cadre.yaml, else request+result)",
    ),
    onFailure: OnFailure.optional().describe(
      "What happens when that agent fails: fail, return this agent's answer, or retry once (fail)",
    ),
  })
  .refine(({ agent, to }) => (agent === undefined) !== (to === undefined), {
    error: "must name the next agent, as `to` or as `agent`",
  });

export const handoff = declarePattern({
  key: "handoff",
  stage: "after",
  input: z.union([AgentName, HandoffInput]).describe("Agent that gets its answer and gives the final one"),
  pinned: z.object({
    agent: z.string(),
    /** Reaction to a failed stage: fail the chain, use the answer of the previous stage, or try the failed stage once more. */
    onFailure: OnFailure,
    /** Present if the target reads only the answer, not the request. */
    pass: z.literal("result").optional(),
  }),
  pin(written, { handoffPass }) {
    const handed: z.output<typeof HandoffInput> = typeof written === "string" ? { agent: written } : written;
    const { agent = "", to = agent, pass = handoffPass, onFailure = "fail" } = handed;
    return { agent: to, onFailure, ...(pass === "result" ? { pass } : {}) };
  },
  agentFields: ["agent"],
  isOnlyOurs: false,
  trigger: {
    name: "handoff",
    part: () => "handoff",
    badge: () => ({ start: "HANDED TO", what: "HANDOFF" }),
    reason: (agent) => `${agent} is the next stage in its agent's file`,
    takesOver: true,
    closesParent: true,
  },
  edge: {
    verb: "hands over to",
    label: "hands off",
    meaning: "passes its answer on; the next agent finishes the job",
    line: { width: 3 },
  },
  answer: "target",
  worstCase: ({ onFailure }, { below }) => timesCost(totalCost(below), onFailure === "retry" ? 2 : 1),
  check: () => [],
});
