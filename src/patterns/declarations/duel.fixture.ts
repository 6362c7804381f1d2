// The declaration of a pattern that Cadre does not have, as a developer would add it. `new-pattern.test.ts` adds it to the lists.

import { z } from "zod";
import { SomeNames } from "../../config/names.ts";
import { declarePattern } from "./declaration.ts";
import { errorAt } from "./finding.ts";
import { totalCost } from "./run-cost.ts";

export const duel = declarePattern({
  key: "duel",
  stage: "work",
  input: z.strictObject({ speakers: SomeNames }).describe("Agents that argue; the longest answer wins"),
  pinned: z.object({ speakers: z.array(z.string()).min(1) }),
  pin: ({ speakers }) => ({ speakers }),
  agentFields: ["speakers"],
  isOnlyOurs: true,
  trigger: {
    name: "duel",
    part: (slot) => slot.replace("/", " "),
    badge: (slot) => ({ start: slot.toUpperCase(), what: "SPEECH" }),
    reason: (agent) => `its agent's file names ${agent} as a speaker`,
    takesOver: false,
  },
  edge: {
    verb: "duels with",
    label: "speaker",
    meaning: "argues for an answer",
    line: { width: 1.5, dash: "7 7" },
  },
  answer: "pattern",
  worstCase: (_, { below }) => totalCost(below),
  check: ({ speakers }) =>
    speakers.length > 1 ? [] : [errorAt("duel", "ONE_SPEAKER", "a duel needs two speakers")],
});
