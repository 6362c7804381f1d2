// `node examples/03-delegation/main.ts`: a lead agent asks two other agents in parallel, and uses their reports to decide.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "release-lead",
  shows: ["test-reader"],
  expected: {
    tree: ["release-lead, user, 2", "├─ test-reader, delegation, 2", "└─ notes-reader, delegation, 2"],
    answer: { by: "release-lead", says: "2.4 may go out" },
    reads: { "test-reader": ["What is red in tests.txt?"], "notes-reader": ["What will customers notice"] },
    misses: { "test-reader": ["customers"], "notes-reader": ["red"] },
    together: ["test-reader", "notes-reader"],
    journal: [
      "CHILD_RUN_STARTED",
      "CHILD_RUN_STARTED",
      "CHILD_RUN_COMPLETED",
      "CHILD_RUN_COMPLETED",
      "RUN_COMPLETED 2.4",
    ],
  },
};

if (import.meta.main) await main(example);
