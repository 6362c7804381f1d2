// The checks of a whole set of agents. To add a check, write a file in this folder and add a line here.

import { hasErrors, type Problem } from "../../config/problem.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Finding } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";
import { findBrokenTargets } from "./broken-targets.ts";
import type { Check, CheckContext, CheckedAgent } from "./check.ts";
import { checkCombinations } from "./combinations.ts";
import { checkCycles } from "./cycles.ts";
import { checkDelegates } from "./delegates.ts";
import { checkHandoffSchemas } from "./handoff-schemas.ts";
import { checkLimits } from "./limits.ts";
import { checkPatterns } from "./patterns.ts";
import { checkReasoning } from "./reasoning.ts";
import { checkSchemas } from "./schemas.ts";
import { checkServers } from "./servers.ts";
import { checkSubagents } from "./subagents.ts";
import { checkToolNames } from "./tool-names.ts";

const CHECKS: readonly Check[] = [
  checkSubagents,
  checkCombinations,
  checkPatterns,
  checkCycles,
  checkDelegates,
  checkToolNames,
  checkServers,
  checkLimits,
  checkReasoning,
  checkSchemas,
  checkHandoffSchemas,
];

/** Adds the findings to the agents' problems, and removes the definition of every agent with an error. */
export function checkAgents(
  agents: ReadonlyMap<string, Agent>,
  tools: readonly string[] = [],
  known: Pick<CheckContext, "servers" | "reasoningProblem"> = {},
): void {
  const surroundings: CheckContext = { agents, toolNames: tools, ...known };
  const usable = [...agents.values()].filter(isUsable);
  const found = usable.map((agent) => CHECKS.flatMap((check) => check(agent, surroundings)));
  usable.forEach((agent, index) => {
    apply(agent, found[index]!);
  });
  withdrawBroken(agents);
  for (let more = findBrokenTargets(agents); more.length > 0; more = findBrokenTargets(agents)) {
    for (const { agent, findings } of more) apply(agent, findings);
    withdrawBroken(agents);
  }
}

/** Turns every warning into an error. The option `--strict` uses this. */
export const strictProblems = (problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, severity: "error" }));

const isUsable = (agent: Agent): agent is CheckedAgent => agent.definition !== undefined;

function apply(agent: CheckedAgent, findings: readonly Finding[]): void {
  for (const { key, names, drop, ...problem } of findings) {
    const reference = agent.references.find(
      (known) => known.key === key && names !== undefined && known.agent === names,
    );
    const { line, column } = reference ?? agent.at(key);
    agent.problems.push({ file: agent.file, line, column, ...problem });
    if (drop) agent.definition = withoutDelegate(agent.definition, names);
  }
}

function withoutDelegate(
  definition: CheckedAgent["definition"],
  name: string | undefined,
): CheckedAgent["definition"] {
  const { delegates, ...rest } = definition;
  return {
    ...rest,
    agents: definition.agents.filter((known) => known !== name),
    ...omitUndefined({ delegates: delegates?.filter(({ agent }) => agent !== name) }),
  };
}

function withdrawBroken(agents: ReadonlyMap<string, Agent>): void {
  for (const agent of agents.values()) if (hasErrors(agent.problems)) agent.definition = undefined;
}
