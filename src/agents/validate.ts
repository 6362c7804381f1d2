// Checks that need the whole set. A delegate that does not exist is taken away with a warning; a pattern that names
// nobody cannot work, and is an error.

import { nearest, type Problem } from "../config/problem.ts";
import type { Agent, Reference } from "./agent.ts";

/** Adds what it finds to the agents' problems. */
export function validateAgents(agents: ReadonlyMap<string, Agent>): void {
  for (const agent of agents.values()) {
    for (const reference of agent.references) checkReference(agents, agent, reference);
    checkSubagent(agent);
    if (agent.definition) keepKnownDelegates(agents, agent);
  }
  for (const agent of agents.values()) {
    if (agent.problems.some(({ severity }) => severity === "error")) agent.definition = undefined;
  }
}

function checkReference(agents: ReadonlyMap<string, Agent>, agent: Agent, reference: Reference): void {
  const { key, name } = reference;
  const report = (code: string, severity: Problem["severity"], message: string, suggestion?: string) =>
    agent.problems.push({
      file: agent.file,
      line: reference.line,
      column: reference.column,
      code,
      severity,
      message,
      ...(suggestion ? { suggestion } : {}),
    });
  if (name === agent.name) {
    report("SELF_REFERENCE", key === "agents" ? "warning" : "error", `\`${key}\` names the agent itself`);
    return;
  }
  if (agents.has(name)) return;
  const meant = nearest(name, agents.keys());
  const message = `\`${key}\` names \`${name}\`, and there is no such agent`;
  const suggestion = meant ? `did you mean \`${meant}\`?` : undefined;
  report("UNKNOWN_AGENT", key === "agents" ? "warning" : "error", message, suggestion);
}

/** S4-15, S4-16: whatever else its file says, a subagent is a leaf. `agents` itself is dropped when it is compiled. */
function checkSubagent(agent: Agent): void {
  if (agent.definition?.kind !== "subagent") return;
  const keys = new Set(agent.references.filter(({ key }) => key !== "agents").map(({ key }) => key));
  for (const key of keys) {
    const { line, column } = agent.references.find((reference) => reference.key === key)!;
    const message = `a subagent has no \`${key}\`: remove it, or make it \`kind: main\``;
    agent.problems.push({
      file: agent.file,
      line,
      column,
      code: "SUBAGENT_PATTERN",
      severity: "error",
      message,
    });
  }
}

function keepKnownDelegates(agents: ReadonlyMap<string, Agent>, agent: Agent): void {
  const definition = agent.definition!;
  const known = definition.agents.filter((name) => name !== agent.name && agents.has(name));
  agent.definition = { ...definition, agents: known };
}
