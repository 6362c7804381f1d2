// `node examples/06-advisors/main.ts`: two advisors, compliance and risk, review a purchase in parallel. Then an agent decides.

import { type Example, main } from "../shared/play.ts";

const REQUEST = "Shall we move our log archive to Northwind Logs?";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "patterns/decision-maker",
  shows: ["decision-maker"],
  expected: {
    tree: ["decision-maker, user, 1", "├─ compliance-checker, advisor, 2", "└─ risk-assessor, advisor, 1"],
    answer: { by: "decision-maker", says: "GO WITH CONDITIONS" },
    reads: {
      "compliance-checker": [REQUEST],
      "risk-assessor": [REQUEST],
      "decision-maker": [
        "## ORIGINAL USER REQUEST",
        REQUEST,
        "## ANALYSIS GATHERED",
        "### From compliance-checker",
        "two of three rules are not met",
        "### From risk-assessor",
        "leaving costs more than staying",
      ],
    },
    misses: { "compliance-checker": ["Locked in"], "risk-assessor": ["policy.md"] },
    together: ["compliance-checker", "risk-assessor"],
  },
};

if (import.meta.main) await main(example);
