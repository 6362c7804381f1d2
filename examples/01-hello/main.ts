// `node examples/01-hello/main.ts`: one agent gives one answer, and the example prints the journal of the run.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "greeter",
  shows: ["greeter"],
  expected: {
    tree: ["greeter, user, 1"],
    answer: { by: "greeter", says: "Hello, Ada!" },
    reads: { greeter: ["Say hello to Ada"] },
    journal: ["RUN_STARTED greeter", "MODEL_CALL_STARTED", "AGENT_THOUGHT Hello, Ada!", "RUN_COMPLETED"],
  },
};

if (import.meta.main) await main(example);
