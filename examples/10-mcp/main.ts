// `node examples/10-mcp/main.ts`: an agent uses a tool of an MCP server. The server's text is treated as untrusted.

import { type Example, main } from "../shared/play.ts";

export const example: Example = {
  folder: import.meta.dirname,
  agent: "buyer",
  shows: [],
  expected: {
    tree: ["buyer, user, 2"],
    answer: { by: "buyer", says: "Order seven of A4 paper" },
    reads: {},
    journal: ["TOOL_PROPOSED mcp__stock__count", "TOOL_RESULT untrusted-", "RUN_COMPLETED"],
  },
};

if (import.meta.main) await main(example);
