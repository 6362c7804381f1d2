// Selects the agents and problems that the agents page shows.

import type { Agents, AgentView } from "../../../../../src/api/client/types.ts";

/** `own` selects your agents and the built-in agents that yours can start; `all` selects every agent. */
export function agentsInScope(agents: readonly AgentView[], scope: "own" | "all"): AgentView[] {
  if (scope === "all") return [...agents];
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const shown = new Set<string>();
  const waiting = agents.filter((agent) => agent.scope !== "builtin").map(({ name }) => name);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const agent = byName.get(next);
    if (!agent || shown.has(next)) continue;
    shown.add(next);
    waiting.push(...agent.edges.map(({ to }) => to));
  }
  return agents.filter(({ name }) => shown.has(name));
}

/**
 * Names of the agents that match the query; undefined if the query is empty.
 * An agent matches if its name, title, description, kind and models together contain every word of the query.
 */
export function searchAgents(agents: readonly AgentView[], q: string): Set<string> | undefined {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const text = (agent: AgentView): string =>
    [agent.name, agent.title, agent.description, agent.kind ?? "broken", ...agent.models]
      .join(" ")
      .toLowerCase();
  return new Set(
    agents.filter((agent) => words.every((word) => text(agent).includes(word))).map(({ name }) => name),
  );
}

/** The problems that the user can fix. Each problem appears once. Warnings about built-in files are left out. */
export function relevantProblems({ agents, problems }: Agents): AgentView["problems"] {
  const all = [...agents.flatMap((agent) => agent.problems), ...problems];
  const own = all.filter(({ file, severity }) => !file.startsWith("builtin:") || severity === "error");
  return [...new Map(own.map((problem) => [JSON.stringify(problem), problem])).values()];
}
