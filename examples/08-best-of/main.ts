// `node examples/08-best-of/main.ts`: an agent drafts three names for a function, each with a different strategy. A judge picks the best name.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "patterns/namer",
  shows: ["naming-judge"],
  expected: {
    tree: [
      "namer, user, 0",
      "├─ namer, best_of, 2",
      "├─ namer, best_of, 2",
      "├─ namer, best_of, 2",
      "└─ naming-judge, best_of, 1",
    ],
    answer: { by: "namer", says: "`enqueue` as in" },
    reads: {
      "naming-judge": [
        "## ORIGINAL USER REQUEST",
        "Find a better name for `wait`",
        "## YOUR PART",
        "## DRAFT 1",
        "takeTurn",
        "## DRAFT 2",
        "enqueue",
        "## DRAFT 3",
        "runAfterOthers",
      ],
    },
  },
};

if (import.meta.main) await main(example);
