// Steps: a module beside the agent's file decides what the agent does next.

import { z } from "zod";
import { declarePattern } from "./declaration.ts";
import { NO_COST } from "./run-cost.ts";

export const steps = declarePattern({
  key: "steps",
  stage: "work",
  input: z.string().trim().min(1).describe("A module next to the file that controls the agent"),
  /** `hash` is the module's hash when the run began. */
  pinned: z.object({ module: z.string(), hash: z.string() }),
  pin: (_, { module }) => module,
  agentFields: [],
  isOnlyOurs: false,
  /** A module starts children by delegation, just as a model does. */
  trigger: undefined,
  edge: {
    verb: "starts by its module",
    label: "steps",
    meaning: "a module next to the agent's file starts it",
    line: { width: 1.5, dash: "1 3" },
  },
  answer: "children",
  worstCase: () => NO_COST,
  check: () => [],
});
