// The trees of the kill loop: single runs, delegation with approvals, a team and advisors, with effects through tools and through the shell.

import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";

/** The agents that the kill loop starts as roots, in turn. */
export const KINDS = ["scribe", "lead", "circle"] as const;

const agent = (keys: string): string =>
  `---\ndescription: one of the kill loop\nmodel: scripted/kills\n${keys}\n---\nYou do your part.\n`;

export const AGENTS: Record<string, string> = {
  poison: agent("tools: [look]"),
  scribe: agent("tools: [Bash]"),
  lead: agent("agents: [buyer, checker]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }"),
  buyer: agent("tools: { allow: [charge], ask: [charge], deny: [] }"),
  checker: agent("agents: [scribe]\ntools: []"),
  circle: agent("team: { members: [buyer, critic] }\ntools: []"),
  critic: agent("tools: []"),
};

export const CONFIG = "permissions: { allow: [Bash, look] }\n";

const delegate = (to: string) => ({ tool: "delegate", input: { agent: to, task: "do your part" } });
const vote = { tool: "vote_conclude", input: { ready: true, reason: "done" } };

/** The answers of each agent. Each answer takes a moment, so that kills also hit running model calls. */
export function script({ agent: name, turn, round, runId }: ScriptedRequest): ScriptedTurn {
  return { delay: 40, ...answer(name, turn, round, runId) };
}

function answer(name: string, turn: number, round: number, runId: string): ScriptedTurn {
  if (round > 0) return turn === 1 && name === "buyer" && round === 1 ? { calls: [buy] } : { calls: [vote] };
  if (turn > 1) return { text: "Done." };
  switch (name) {
    case "poison":
      return { calls: [{ tool: "look", input: { what: "poison" } }] };
    case "scribe":
      return { calls: [{ tool: "Bash", input: { command: `echo ${runId} >> scribes.log` } }] };
    case "lead":
      return { calls: [delegate("buyer"), delegate("checker")] };
    case "buyer":
      return { calls: [buy] };
    case "checker":
      return { calls: [delegate("scribe")] };
    default:
      return { text: "Done." };
  }
}

const buy = { tool: "charge", input: { what: "card 1" } };
