// The scenarios of the golden journals: one run for every state in which a run can rest, and one run that has ended.

import type { Script } from "../../src/models/scripted/script.ts";

export interface GoldenScenario {
  script: Script;
  /** The event at which the recording stops. */
  stopAt: "RUN_COMPLETED" | "RUN_SUSPENDED" | "MODEL_CALL_FAILED";
  /** True if the process that wrote the recording died during `charge`. */
  interrupted?: true;
  summary: string;
}

const charge = { tool: "charge", input: { what: "card 1" } };

export const SCENARIOS: Record<string, GoldenScenario> = {
  completed: {
    script: ({ turn }) =>
      turn === 1 ? { calls: [{ tool: "look", input: { what: "orders" } }] } : { report: { summary: "Looked." } },
    stopAt: "RUN_COMPLETED",
    summary: "Looked.",
  },
  "waiting-for-approval": {
    script: ({ turn }) => (turn === 1 ? { calls: [charge] } : { report: { summary: "Charged." } }),
    stopAt: "RUN_SUSPENDED",
    summary: "Charged.",
  },
  "outcome-unknown": {
    script: ({ turn }) => (turn === 1 ? { calls: [charge] } : { report: { summary: "Charged." } }),
    stopAt: "RUN_SUSPENDED",
    interrupted: true,
    summary: "Charged.",
  },
  "waiting-for-provider": {
    script: ({ turn, attempt }) =>
      turn === 1 && attempt === 1
        ? { error: { status: 429, message: "slow down", retryAfter: 1 } }
        : { report: { summary: "Answered in the end." } },
    stopAt: "MODEL_CALL_FAILED",
    summary: "Answered in the end.",
  },
};

export const GOLDEN_AGENT = `---
description: the golden journals' agent
model: scripted/golden
tools: { allow: [look, charge, stamp], ask: [charge], deny: [] }
---
You look and charge.
`;
