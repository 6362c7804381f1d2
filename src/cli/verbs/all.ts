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
}
