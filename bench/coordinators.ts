// The same work as in the examples of the patterns, led by an agent with tool calls: it delegates, reads what comes back
// and passes it on. Who does the work says the same words in both; only the coordinator's own are written here, and they
// are as few as will do: whom to ask, what that one must know, and at the end the answer.

import type { ScriptedTurn } from "../src/models/scripted/script.ts";

export interface Coordinator {
  /** The example that does it by a pattern. */
  example: string;
  /** Whose place it takes, prompt included; absent: it has only these instructions. */
  as?: string;
  instructions?: string;
  agents: string[];
  turns(work: Work): ScriptedTurn[];
}

export interface Work {
  task: string;
  /** What an agent of the example answers, in the order of its script where there is more than one answer. */
  said(agent: string): string[];
}

export const COORDINATORS: Coordinator[] = [
  {
    example: "handoff",
    instructions:
      "Have the drafter draft what is asked for and the approver release it. Answer with the released text.",
    agents: ["drafter", "approver"],
    turns: ({ task, said }) => [
      { calls: [delegate("drafter", task)] },
      { calls: [delegate("approver", `${task}\n\nThe draft:\n\n${said("drafter")[0]}`)] },
      { text: said("approver")[0]! },
    ],
  },
  {
    example: "router",
    instructions: "Have the request answered by the department that should. Answer with its answer.",
    agents: ["legal-department", "technical-support", "billing"],
    turns: ({ task, said }) => [{ calls: [delegate("billing", task)] }, { text: said("billing")[0]! }],
  },
  {
    example: "advisors",
    as: "decision-maker",
    agents: ["compliance-checker", "risk-assessor"],
    turns: ({ task, said }) => [
      { calls: [delegate("compliance-checker", task), delegate("risk-assessor", task)] },
      { text: said("decision-maker")[0]! },
    ],
  },
  {
    example: "best-of",
    instructions:
      "Have the namer propose three names, each by another strategy, and the naming-judge pick one. Answer with it and the reason.",
    agents: ["namer", "naming-judge"],
    turns: ({ task, said }) => [
      { calls: STRATEGIES.map((strategy) => delegate("namer", `${task}\n\n${strategy}`)) },
      {
        calls: [
          delegate(
            "naming-judge",
            [
              task,
              "Pick one of these.",
              ...said("namer").map((text, at) => `## DRAFT ${at + 1}\n\n${text}`),
            ].join("\n\n"),
          ),
        ],
      },
      { text: `${said("namer")[1]}\n\n${said("naming-judge")[0]}` },
    ],
  },
  {
    example: "team",
    as: "panel",
    agents: ["analyst", "developer", "security-reviewer"],
    turns: ({ task, said }) => [
      { calls: MEMBERS.map((name) => delegate(name, task)) },
      { calls: MEMBERS.map((name) => delegate(name, `${task}\n\n${roundOf(1, said)}`)) },
      { text: said("panel")[0]! },
    ],
  },
];

const MEMBERS = ["analyst", "developer", "security-reviewer"];

/** What each member said in a round, as the team's own members are told of it. */
function roundOf(at: 0 | 1, said: Work["said"]): string {
  return MEMBERS.map((name) => `${name} says:\n${said(name)[at]}`).join("\n\n");
}

/** As short as they can be told apart: what the pattern's own strategies begin with. */
const STRATEGIES = ["From the domain.", "From the neighbours.", "From the behaviour."];

function delegate(agent: string, task: string): { tool: string; input: { agent: string; task: string } } {
  return { tool: "delegate", input: { agent, task } };
}
