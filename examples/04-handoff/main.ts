// `node examples/04-handoff/main.ts`: one agent drafts a letter to customers, and another agent releases the letter.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "patterns/drafter",
  shows: ["approver"],
  expected: {
    tree: ["drafter, user, 2", "└─ approver, handoff, 2"],
    answer: { by: "approver", says: "because a disk of ours was full" },
    reads: {
      drafter: ["Tell our customers about yesterday's outage"],
      approver: [
        "## ORIGINAL USER REQUEST",
        "Tell our customers about yesterday's outage",
        "## RESULT FROM drafter",
        "db-7.internal",
      ],
    },
  },
};

if (import.meta.main) await main(example);
