// `node examples/09-steps/main.ts`: code decides what comes next, and the model only makes the fix.
// With `--model scripted/helpless` the model only talks, and after three attempts a person is asked.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "mender",
  shows: [],
  /** The person chooses to leave the program unfixed. */
  person: () => ({ decision: "answer", answer: "leave it" }),
  expected: {
    tree: ["mender, user, 4"],
    answer: { by: "mender", says: "The tests pass after 2 attempts." },
    reads: { mender: ["attempt 1 of 3", "attempt 2 of 3"] },
    misses: { mender: ["attempt 3 of 3"] },
    journal: ["TOOL_RESULT fail 2", "TOOL_RESULT fail 2", "TOOL_RESULT fail 0", "RUN_COMPLETED 2 attempts"],
    files: { "mean.mjs": "numbers.length;" },
  },
};

if (import.meta.main) await main(example);
