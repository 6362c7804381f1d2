// `node examples/05-router/main.ts`: a front desk agent passes each request to one department, and never answers a request itself.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "patterns/receptionist",
  shows: ["billing"],
  expected: {
    tree: ["receptionist, user, 1", "└─ billing, route, 2"],
    answer: { by: "billing", says: "The second charge is refunded in full" },
    reads: { billing: ["My invoice of May was charged twice, and I want my money back."] },
    misses: { billing: ["receptionist", "is a refund"] },
  },
};

if (import.meta.main) await main(example);
