// `node examples/12-company/main.ts`: a router, advisors, best of n and two handoffs process a customer's complaint.

import { type Example, main } from "../shared/play.ts";

const REQUEST = ["## ORIGINAL USER REQUEST", "it is that of another customer"];

export const example: Example = {
  folder: import.meta.dirname,
  agent: "front-desk",
  shows: ["complaints", "letter-writer", "approver"],
  expected: {
    tree: [
      "front-desk, user, 1",
      "└─ complaints, route, 1",
      "   ├─ compliance-checker, advisor, 2",
      "   ├─ risk-assessor, advisor, 1",
      "   └─ letter-writer, handoff, 0",
      "      ├─ letter-writer, best_of, 1",
      "      ├─ letter-writer, best_of, 1",
      "      ├─ reader, best_of, 1",
      "      └─ approver, handoff, 1",
    ],
    answer: { by: "approver", says: "our data protection officer knows" },
    reads: {
      complaints: [
        ...REQUEST,
        "## ANALYSIS GATHERED",
        "### From compliance-checker",
        "the mail log says so",
        "### From risk-assessor",
        "before the mail log was read",
      ],
      "letter-writer": [...REQUEST, "## RESULT FROM complaints", "is known tonight"],
      reader: [...REQUEST, "## RESULT FROM complaints", "## DRAFT 1", "## DRAFT 2"],
      approver: [...REQUEST, "## RESULT FROM letter-writer", "J. Nowak"],
    },
    misses: { "letter-writer": ["ANALYSIS GATHERED"], approver: ["RESULT FROM complaints"] },
    together: ["compliance-checker", "risk-assessor"],
  },
};

if (import.meta.main) await main(example);
