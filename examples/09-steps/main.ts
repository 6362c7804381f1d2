// `node examples/09-steps/main.ts`: a steps module decides what happens next, and the model only fixes the program.
// With `--model scripted/helpless`, the model fixes nothing, and after three attempts Cadre asks a person.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "mender",
  shows: [],
  /** Simulates the person, who decides to leave the program unfixed. */
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
