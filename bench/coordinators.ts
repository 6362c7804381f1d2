// The work of the pattern examples, led by an agent that uses tool calls instead: it delegates, reads the results and passes
// them on. The other agents say the same in both versions. Only the coordinator's own texts are written here, and they are as
// short as possible: which agent to ask, what that agent must know, and the final answer.

import type { ScriptedTurn } from "../src/models/scripted/script.ts";

export interface Coordinator {
  /** The example that does the same work with a pattern. */
  example: string;
  /** The agent that the coordinator replaces; it keeps that agent's prompt. If absent, it has only the instructions below. */
  as?: string;
  instructions?: string;
  agents: string[];
  turns(work: Work): ScriptedTurn[];
}

export interface Work {
  task: string;
  /** Answers of an agent of the example. If an agent answers more than once, they are in the order of its script. */
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

/** What each member said in a round, in the form in which a team tells its members. */
function roundOf(at: 0 | 1, said: Work["said"]): string {
  return MEMBERS.map((name) => `${name} says:\n${said(name)[at]}`).join("\n\n");
}

/** The shortest openings that tell the strategies of the pattern apart. */
const STRATEGIES = ["From the domain.", "From the neighbours.", "From the behaviour."];

function delegate(agent: string, task: string): { tool: string; input: { agent: string; task: string } } {
  return { tool: "delegate", input: { agent, task } };
}
