// Declares all commands, in the order of the help.

import type { Command } from "commander";
import { addAgentCommands } from "./agents.ts";
import { addBranchCommands, addDecideCommands } from "./decide.ts";
import type { BindHandler } from "./handler.ts";
import { addJournalCommands } from "./journals.ts";
import { addEvalCommands, addForkCommands, addLookCommands } from "./look.ts";
import { addPeopleCommands } from "./people.ts";
import { addProjectCommands } from "./project.ts";
import { addServeCommands } from "./serve.ts";
import { addStartCommands } from "./start.ts";

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

export function addCommands(program: Command, does: BindHandler): void {
  addStartCommands(program, does);
  addLookCommands(program, does);
  addForkCommands(program, does);
  addEvalCommands(program, does);
  addJournalCommands(program, does);
  addDecideCommands(program, does);
  addBranchCommands(program, does);
  addAgentCommands(program, does);
  addServeCommands(program, does);
  addProjectCommands(program, does);
  addPeopleCommands(program, does);
  group(program);
}

function group(program: Command): void {
  const order = Object.values(GROUPS).flat();
  for (const [heading, verbs] of Object.entries(GROUPS))
    for (const verb of verbs) program.commands.find((known) => known.name() === verb)!.helpGroup(heading);
  (program.commands as Command[]).sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
}
