// The checks of a whole set of agents. To add one: a file beside this one, and a line here.

import { hasErrors, type Problem } from "../../config/problem.ts";
import type { Agent } from "../agent.ts";
import { brokenTargets } from "./broken-targets.ts";
import type { Check, Checked, Finding, Surroundings } from "./check.ts";
import { combinations } from "./combinations.ts";
import { cycles } from "./cycles.ts";
import { delegates } from "./delegates.ts";
import { handoffFits } from "./handoff-fits.ts";
import { judges } from "./judges.ts";
import { routers } from "./routers.ts";
import { schemas } from "./schemas.ts";
import { sensibleLimits } from "./sensible-limits.ts";
import { servers } from "./servers.ts";
import { subagents } from "./subagents.ts";
import { toolNames } from "./tool-names.ts";

const CHECKS: readonly Check[] = [
  subagents,
  combinations,
  routers,
  judges,
  cycles,
  delegates,
  toolNames,
  servers,
  sensibleLimits,
  schemas,
  handoffFits,
];

/** Adds what it finds to the agents' problems; an agent with an error has no definition any more. */
export function checkAgents(
  agents: ReadonlyMap<string, Agent>,
  tools: readonly string[] = [],
  known: Pick<Surroundings, "servers"> = {},
): void {
  const surroundings: Surroundings = { agents, toolNames: tools, ...known };
  const usable = [...agents.values()].filter(isUsable);
  const found = usable.map((agent) => CHECKS.flatMap((check) => check(agent, surroundings)));
  usable.forEach((agent, index) => {
    apply(agent, found[index]!);
  });
  withdrawBroken(agents);
  for (let more = brokenTargets(agents); more.length > 0; more = brokenTargets(agents)) {
    for (const { agent, findings } of more) apply(agent, findings);
    withdrawBroken(agents);
  }
}

/** As `--strict` wants it: whatever is worth a warning stops. */
export const strictProblems = (problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, severity: "error" }));

const isUsable = (agent: Agent): agent is Checked => agent.definition !== undefined;

function apply(agent: Checked, findings: readonly Finding[]): void {
  for (const { key, names, drop, ...problem } of findings) {
    const reference = agent.references.find(
      (known) => known.key === key && names !== undefined && known.agent === names,
    );
    const { line, column } = reference ?? agent.at(key);
    agent.problems.push({ file: agent.file, line, column, ...problem });
    if (drop) agent.definition = withoutDelegate(agent.definition, names);
  }
}

function withoutDelegate(definition: Checked["definition"], name: string | undefined): Checked["definition"] {
  const { delegates: told, ...rest } = definition;
  return {
    ...rest,
    agents: definition.agents.filter((known) => known !== name),
    ...(told ? { delegates: told.filter(({ agent }) => agent !== name) } : {}),
  };
}

function withdrawBroken(agents: ReadonlyMap<string, Agent>): void {
  for (const agent of agents.values()) if (hasErrors(agent.problems)) agent.definition = undefined;
}
