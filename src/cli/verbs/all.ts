// In the order in which help names them.

import type { Command } from "commander";
import { addAgentVerbs } from "./agents.ts";
import { addBranchVerbs, addDecisionVerbs } from "./decisions.ts";
import type { Does } from "./does.ts";
import { addJournalVerbs } from "./journals.ts";
import { addProjectVerbs } from "./project.ts";
import { addEvalVerbs, addForkVerbs, addReasonVerbs } from "./reasons.ts";
import { addRunVerbs } from "./runs.ts";
import { addServingVerbs } from "./serving.ts";
import { addTeamVerbs } from "./team.ts";

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Start:": ["init", "demo", "run", "retry", "fork"],
  "Look:": ["runs", "show", "tail", "why", "usage", "compare"],
  "Decide:": ["approve", "reject", "outcome", "permissions"],
  "Change what runs:": ["message", "pause", "resume", "cancel", "budget", "freeze", "thaw"],
  "Agents:": ["agents", "eval", "replay"],
  "Serve:": ["up", "worker", "workers", "mcp", "acp"],
  "Journals:": ["verify", "export", "import", "prune"],
  "Project and team:": ["doctor", "trust", "servers", "users", "webhooks"],
};

export function addVerbs(program: Command, does: Does): void {
  addRunVerbs(program, does);
  addReasonVerbs(program, does);
  addForkVerbs(program, does);
  addEvalVerbs(program, does);
  addJournalVerbs(program, does);
  addDecisionVerbs(program, does);
  addBranchVerbs(program, does);
  addAgentVerbs(program, does);
  addServingVerbs(program, does);
  addProjectVerbs(program, does);
  addTeamVerbs(program, does);
  group(program);
}

function group(program: Command): void {
  const order = Object.values(GROUPS).flat();
  for (const [heading, verbs] of Object.entries(GROUPS))
    for (const verb of verbs) program.commands.find((known) => known.name() === verb)!.helpGroup(heading);
  (program.commands as Command[]).sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
}
