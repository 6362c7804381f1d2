// One small tree for each feature of this version. `record-trees.ts` records the trees once for each release.
// The scripts and decisions are in this file, so that a later version can continue the trees that still wait.

import { z } from "zod";
import type { Decision } from "../../src/loop/commands/person-commands.ts";
import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import { type AnyTool, defineTool } from "../../src/tools/tool.ts";
import { oracleTools } from "../support/oracle.ts";

export interface GoldenTree {
  /** Front matter of each agent, without description and model. The first agent is the root. */
  agents: Record<string, string>;
  files?: Record<string, string>;
  /** The script of each agent. A script returns a whole turn, or only the text of a turn. */
  says: Record<string, (request: ScriptedRequest) => ScriptedTurn | string>;
  /** A person's decisions, in order. The recording ends after the last decision, even if the tree still waits. */
  decisions?: (Decision | "cancel")[];
  /** If this is set, the recording is a fork of the tree at this event. */
  forkedAt?: number;
  /** How the root ends: in the recording, or after a person has approved all open items. */
  ends: "completed" | "failed" | "cancelled";
}

const CHARGE = { tool: "charge", input: { what: "card 1" } };
const LOOK = { tool: "look", input: { what: "orders" } };
const ASKS = "tools: { allow: [look, charge, stamp, hear], ask: [charge], deny: [] }";
const charges = ({ turn }: ScriptedRequest): ScriptedTurn =>
  turn === 1 ? { calls: [CHARGE] } : { report: { summary: "Charged, or not." } };
const asksFor = (agent: string, ...tasks: string[]): ScriptedTurn => ({
  calls: tasks.map((task) => ({ tool: "delegate", input: { agent, task } })),
});
const clerk = "kind: subagent\ntools: [look]";

export const TREES: Record<string, GoldenTree> = {
  single: {
    agents: { solo: "tools: [look]" },
    says: { solo: ({ turn }) => (turn === 1 ? { text: "I look.", calls: [LOOK, LOOK] } : { report: { summary: "Looked." } }) },
    ends: "completed",
  },
  delegation: {
    agents: { lead: "agents: [clerk]\ndelegation: { mode: parallel, maxParallel: 2 }", clerk },
    says: {
      lead: ({ turn }) => (turn === 1 ? asksFor("clerk", "one", "two") : { report: { summary: "Both are done." } }),
      clerk: ({ turn }) => (turn === 1 ? { calls: [LOOK] } : { report: { summary: "Done." } }),
    },
    ends: "completed",
  },
  "delegation-waits": {
    agents: { lead: "agents: [payer]", payer: `kind: subagent\n${ASKS}` },
    says: {
      lead: ({ turn }) => (turn === 1 ? asksFor("payer", "pay") : { report: { summary: "Paid." } }),
      payer: charges,
    },
    ends: "completed",
  },
  "child-fails": {
    agents: { lead: "agents: [clerk]", clerk },
    says: {
      lead: ({ turn }) => (turn === 1 ? asksFor("clerk", "one") : { report: { summary: "It did not work." } }),
      clerk: () => ({ error: { status: 401, message: "no such key" } }),
    },
    ends: "completed",
  },
  "approval-edited": {
    agents: { payer: ASKS },
    says: { payer: charges },
    decisions: [{ decision: "edit", input: { what: "card 2" }, note: "the other card" }],
    ends: "completed",
  },
  "approval-rejected": {
    agents: { payer: ASKS },
    says: { payer: charges },
    decisions: [{ decision: "reject", note: "too much" }],
    ends: "completed",
  },
  "approval-granted": {
    agents: { payer: ASKS },
    says: { payer: ({ turn }) => (turn < 3 ? { calls: [{ ...CHARGE, input: { what: `card ${turn}` } }] } : "Both.") },
    decisions: [{ decision: "approve", scope: "run" }],
    ends: "completed",
  },
  question: {
    agents: { asker: "tools: [ask_user]" },
    says: {
      asker: ({ turn }) => (turn === 1 ? { calls: [{ tool: "ask_user", input: { question: "Which?" } }] } : "That one."),
    },
    decisions: [{ decision: "answer", answer: "the red one" }],
    ends: "completed",
  },
  cancelled: {
    agents: { lead: "agents: [payer]", payer: `kind: subagent\n${ASKS}` },
    says: { lead: () => asksFor("payer", "pay"), payer: charges },
    decisions: ["cancel"],
    ends: "cancelled",
  },
  "turns-used-up": {
    agents: { solo: "tools: [look]\nlimits: { maxTurns: 2 }" },
    says: {
      solo: ({ turn, purpose }) =>
        purpose === "final" ? "I must stop." : { calls: [{ tool: "look", input: { what: `part ${turn}` } }] },
    },
    ends: "completed",
  },
  "budget-used-up": {
    agents: { solo: "tools: [look]\nlimits: { maxTokens: 12000, onBudget: suspend }" },
    says: {
      solo: ({ turn }) =>
        turn < 3
          ? { calls: [{ tool: "look", input: { what: `part ${turn}` } }], usage: { input: 4_000, output: 1_000 } }
          : "That is all.",
    },
    ends: "completed",
  },
  taint: {
    agents: { reader: "tools: { allow: [hear, charge], ask: [], deny: [] }" },
    says: {
      reader: ({ turn }) =>
        turn === 1 ? { calls: [{ tool: "hear", input: { what: "the news" } }] } : turn === 2 ? { calls: [CHARGE] } : "Done.",
    },
    ends: "completed",
  },
  fork: {
    agents: { lead: "agents: [clerk]\ntools: [charge, delegate]", clerk },
    files: { "cadre.yaml": "permissions: { allow: [charge, delegate] }\n" },
    says: {
      lead: ({ lastTool }) => {
        if (lastTool === undefined) return { calls: [CHARGE] };
        return lastTool === "charge" ? asksFor("clerk", "one") : { report: { summary: "Charged, and done." } };
      },
      clerk: () => "Done.",
    },
    forkedAt: 1,
    ends: "completed",
  },
  denied: {
    agents: { payer: "tools: { allow: [charge], ask: [], deny: [charge] }" },
    says: { payer: charges },
    ends: "completed",
  },
  handoff: {
    agents: { drafter: "tools: [look]\nhandoff: approver", approver: "tools: [look]" },
    says: { drafter: () => "A draft.", approver: () => "The final text." },
    ends: "completed",
  },
  router: {
    agents: {
      desk: "tools: []\nrouter: { destinations: [billing, support], fallback: support }",
      billing: "tools: [look]",
      support: "tools: [look]",
    },
    says: {
      desk: () => ({ calls: [{ tool: "route_to", input: { agent: "billing", reason: "It is about money." } }] }),
      billing: () => "Refunded.",
    },
    ends: "completed",
  },
  advisors: {
    agents: {
      judge: "tools: [look]\nadvisors: { agents: [cautious, bold], require: all }",
      cautious: "kind: subagent\ntools: []",
      bold: "kind: subagent\ntools: []",
    },
    says: { judge: () => "Go, with care.", cautious: () => "Take care.", bold: () => "Go." },
    ends: "completed",
  },
  team: {
    agents: {
      panel: "tools: []\nteam: { members: [ann, bob], terminationMode: consensus, maxRounds: 3 }",
      ann: "kind: subagent\ntools: []",
      bob: "kind: subagent\ntools: []",
    },
    says: { panel: () => "We agree.", ann: votes, bob: votes },
    ends: "completed",
  },
  "best-of": {
    agents: { namer: "tools: []\nbestOf: { n: 2, judge: picker }", picker: "kind: subagent\ntools: []" },
    says: {
      namer: () => "A name.",
      picker: () => ({ report: { summary: "The second.", output: { draft: 2, reason: "It is shorter." } } }),
    },
    ends: "completed",
  },
  steps: {
    agents: { stepper: "tools: [look]\nsteps: ./stepper.steps.ts" },
    files: {
      "agents/stepper.steps.ts": `import { prompt, type Steps, tool, turns } from "cadre";

export default function* (): Steps {
  const seen = yield* tool("look", { what: "orders" }, { hidden: true });
  yield prompt("Say what it means: " + String(seen.output));
  const said = yield* turns({ max: 2 });
  return { summary: "In short: " + said.summary };
}
`,
    },
    says: { stepper: () => "nothing new" },
    ends: "completed",
  },
};

function votes({ round, turn }: ScriptedRequest): ScriptedTurn | string {
  if (turn > 1) return "I have said it.";
  return {
    calls: [
      { tool: "broadcast", input: { message: `my view in round ${round}` } },
      { tool: "vote_conclude", input: { ready: round > 1, reason: "so it is" } },
    ],
  };
}

export const agentFiles = ({ agents, files = {} }: GoldenTree): Record<string, string> => ({
  ...files,
  ...Object.fromEntries(
    Object.entries(agents).map(([name, front]) => [
      `agents/${name}.md`,
      `---\nname: ${name}\ndescription: ${name} of the golden trees\nmodel: scripted/golden\n${front}\n---\nYou are ${name}.\n`,
    ]),
  ),
});

export const scriptOf =
  ({ says }: GoldenTree) =>
  (request: ScriptedRequest): ScriptedTurn => {
    const said = says[request.agent]?.(request) ?? "I have nothing to say.";
    return typeof said === "string" ? { text: said } : said;
  };

/** The tools that record their effects, and `hear`, which returns untrusted text. */
export const goldenTools = (oracle: string): AnyTool[] => [
  ...oracleTools(oracle),
  defineTool({
    name: "hear",
    description: "Hears.",
    input: z.object({ what: z.string() }),
    effect: "read",
    reaches: [],
    execute: async ({ what }) => ({ output: `they say: ${what}`, untrusted: "the radio" }),
  }),
];
