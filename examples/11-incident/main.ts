// `node examples/11-incident/main.ts`: an agent reads the log of a broken service and makes the service's tests pass. A script plays the person.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "oncall",
  shows: [],
  person: () => ({ decision: "approve" }),
  expected: {
    tree: ["oncall, user, 7"],
    answer: { by: "oncall", says: "all tests of the service pass" },
    reads: { oncall: ["checkout"] },
    journal: [
      "TOOL_RESULT fail 2",
      'APPROVAL_DECIDED "decision":"approve"',
      "TOOL_RESULT fail 0",
      "RUN_COMPLETED Fixed",
    ],
    files: { "service/pricing.js": "seen" },
  },
};

if (import.meta.main) await main(example);
