// `node examples/02-approval/main.ts`: reading needs no approval. A person approves an edit and rejects a command, and the agent reports both.

import type { ApprovalView, DecisionBody } from "../../src/api/client/types.ts";
import { type Example, main } from "../shared/play.ts";

/** Simulates the person, who approves the edit of the settings and rejects everything else. */
function person({ tool }: ApprovalView): DecisionBody {
  return tool === "Edit" ? { decision: "approve" } : { decision: "reject", note: "Not before noon." };
}

export const example: Example = {
  folder: import.meta.dirname,
  agent: "keeper",
  shows: [],
  person,
  expected: {
    tree: ["keeper, user, 4"],
    answer: { by: "keeper", says: "It is not live, because that was rejected." },
    reads: {},
    journal: [
      'TOOL_PROPOSED "verdict":"allow"',
      'TOOL_PROPOSED "verdict":"ask"',
      'APPROVAL_DECIDED "decision":"approve"',
      "TOOL_RESULT modified settings.json",
      'TOOL_PROPOSED "verdict":"ask"',
      'APPROVAL_DECIDED "decision":"reject"',
      "RUN_COMPLETED",
    ],
    files: { "settings.json": '"timeoutSeconds": 30', "live.json": null },
  },
};

if (import.meta.main) await main(example);
