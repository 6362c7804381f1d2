// Declares all commands with their arguments, options and help. Help lists the commands in the order in which they are declared.

import type { Command } from "commander";
import { addAgentCommands } from "./agents.ts";
import { addDecideCommands } from "./decide.ts";
import type { BindHandler } from "./handler.ts";
import { addJournalCommands } from "./journals.ts";
import { addLookCommands } from "./look.ts";
import { addProjectCommands } from "./project.ts";
import { addServeCommands } from "./serve.ts";
import { addStartCommands } from "./start.ts";
import { addSteerCommands } from "./steer.ts";

const GROUPS: Readonly<Record<string, (program: Command, bind: BindHandler) => void>> = {
  "Start:": addStartCommands,
  "Look:": addLookCommands,
  "Decide:": addDecideCommands,
  "Steer runs:": addSteerCommands,
  "Agents:": addAgentCommands,
  "Serve:": addServeCommands,
  "Journals:": addJournalCommands,
  "Project and users:": addProjectCommands,
};

export function addCommands(program: Command, bind: BindHandler): void {
  for (const [heading, add] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    add(program, bind);
  }
}
