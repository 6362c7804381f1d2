// Best of n: the agent writes several drafts at the same time, with tools that change nothing, and a judge picks one.

import { z } from "zod";
import { AgentName, Count } from "../../config/names.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { declarePattern } from "./declaration.ts";
import { errorAt, warningAt } from "./finding.ts";
import { timesCost, totalCost } from "./run-cost.ts";

const BestOfInput = z.union([
  Count,
  z.strictObject({
    n: Count.describe("How many drafts"),
    judge: AgentName.optional().describe("Agent that picks one; absent: the agent itself"),
    strategies: z.array(z.string()).optional().describe("One hint for each draft"),
  }),
]);

export const bestOf = declarePattern({
  key: "bestOf",
  stage: "work",
  input: BestOfInput.describe("Number of drafts, of which the best is picked"),
  pinned: z.object({
    n: z.int().positive(),
    judge: z.string().optional(),
    strategies: z.array(z.string()),
  }),
  pin(written) {
    if (typeof written === "number") return { n: written, strategies: [] };
    const { n, judge, strategies = [] } = written;
    return omitUndefined({ n, judge, strategies });
  },
  agentFields: ["judge"],
  isOnlyOurs: true,
  trigger: {
    name: "best_of",
    part: (slot) => slot.replace("/", " "),
    badge: (slot) => ({ start: partName(slot), what: partName(slot) }),
    reason: () => "its agent's file asks for several drafts",
    takesOver: false,
    setsOutput: true,
  },
  edge: {
    verb: "lets judge",
    label: "judge",
    meaning: "picks the best of several drafts",
    line: { width: 1.5, dash: "5 3" },
  },
  answer: "pattern",
  worstCase: ({ n, judge }, { self, below }) =>
    totalCost([timesCost(self, n), ...(judge === undefined ? [self] : below)]),
  *check({ n, judge, strategies }, _, set) {
    // S1-4: a judge must not pass its answer on. Without this check, the mistake would show only after every draft is paid for.
    for (const key of judge === undefined ? [] : set.keysGivingAnswerAway(judge)) {
      const message = `\`${judge}\` cannot judge: its \`${key}\` gives the answer to another agent`;
      yield errorAt("bestOf", "JUDGE_GIVES_AWAY", message, { names: judge! });
    }
    if (n === 1)
      yield warningAt("bestOf", "ONE_DRAFT", "the best of one draft is that draft: give `n` of 2 or more");
    if (strategies.length > n) {
      const message = `${strategies.length} strategies for ${n} drafts: the last ones are not used`;
      yield warningAt("bestOf", "STRATEGIES_UNUSED", message);
    }
  },
  ownTools: { may: "read", why: "drafts change nothing" },
});

const partName = (slot: string): string => slot.replace("/", " ").toUpperCase();
