// One scripted agent per pattern: router, handoff, advisors, best-of, team.

import { agent } from "../../../src/cli/cli.fixture.ts";

export const PATTERNS: Record<string, string> = {
  "agents/desk.md": agent("desk", "title: The help desk\nrouter: { destinations: [billing, refunds] }\n"),
  "agents/billing.md": agent("billing", "title: Billing and invoices\nhandoff: refunds\n"),
  "agents/refunds.md": agent("refunds"),
  "agents/author.md": agent("author", "title: The author\nadvisors: [legal]\n"),
  "agents/legal.md": agent("legal"),
  "agents/namer.md": agent("namer", "bestOf: { n: 3, judge: referee }\n"),
  "agents/referee.md": agent("referee"),
  "agents/board.md": agent("board", "team: { members: [ann, ben, cem] }\n"),
  "agents/ann.md": agent("ann"),
  "agents/ben.md": agent("ben"),
  "agents/cem.md": agent("cem"),
  "desk.script.yaml": `turns: [{ calls: [{ tool: route_to, input: { agent: billing, reason: "It is about an invoice." } }] }]\n`,
  "billing.script.yaml": `turns: [{ report: { summary: "The invoice was paid twice." } }]\n`,
  "refunds.script.yaml": `turns: [{ report: { summary: "The second payment goes back." } }]\n`,
  "author.script.yaml": `turns: [{ report: { summary: "Written, with the advice." } }]\n`,
  "legal.script.yaml": `turns: [{ report: { summary: "Mind the date." } }]\n`,
  "namer.script.yaml": `turns: [{ report: { summary: "enqueue" } }]\n`,
  "referee.script.yaml": `turns: [{ report: { summary: "The second.", output: { draft: 2, reason: "It says what it does." } } }]\n`,
  "board.script.yaml": `turns: [{ text: "We agree." }]\n`,
  "ann.script.yaml": speaker("ann"),
  "ben.script.yaml": speaker("ben"),
  "cem.script.yaml": speaker("cem"),
};

/** A team member that votes no in the first round and yes in the second. */
function speaker(name: string): string {
  return `turns:
  - when: { lastUser: votes to go on }
    calls:
      - { tool: broadcast, input: { message: "${name} agrees now." } }
      - { tool: vote_conclude, input: { ready: true, reason: "${name} has heard enough." } }
  - calls:
      - { tool: broadcast, input: { message: "${name} has a doubt." } }
      - { tool: vote_conclude, input: { ready: false, reason: "${name} wants to hear more." } }
`;
}
