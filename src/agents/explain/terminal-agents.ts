// Finds the agents that can give a run's answer (S3-46, S3-47).
// An agent with a handoff or a router returns the answer of another agent.
// An agent that gives the answer itself is called a terminal agent.

import type { Definition } from "../../journal/definition.ts";
import { type EdgeKey, givingAnswerAway, namedBy } from "../../patterns/declarations/facts.ts";
import type { Agent } from "../agent.ts";
import type { Edge } from "./edges.ts";

export interface TerminalAgent {
  agent: string;
  /** Edges from the first agent to this agent. Empty if the first agent gives the answer itself. */
  path: Edge[];
}

export const isTerminal = (definition: Definition): boolean =>
  givingAnswerAway(definition).length === 0 &&
  (definition.finalizes !== false || definition.agents.length === 0);

/** Lists the agents that can give the answer, each with the shortest path to it. The agents are in the order of the file. */
export function terminalAgents(agents: ReadonlyMap<string, Agent>, name: string): TerminalAgent[] {
  const found = new Map<string, TerminalAgent>();
  const seen = new Set<string>();
  let level: TerminalAgent[] = [{ agent: name, path: [] }];
  while (level.length > 0) {
    const next: TerminalAgent[] = [];
    for (const here of level) {
      if (seen.has(here.agent)) continue;
      seen.add(here.agent);
      const definition = agents.get(here.agent)?.definition;
      const { answers, onward } = whatFollows(definition);
      if (answers) found.set(here.agent, here);
      next.push(...onward.map((edge) => ({ agent: edge.to, path: [...here.path, edge] })));
    }
    level = next;
  }
  return [...found.values()];
}

/** A path also ends at an agent that is missing or broken. */
function whatFollows(definition: Definition | undefined): { answers: boolean; onward: Edge[] } {
  if (!definition || isTerminal(definition)) return { answers: true, onward: [] };
  const [used] = givingAnswerAway(definition);
  if (!used) return { answers: false, onward: definition.agents.map((to) => ({ key: "agents", to })) };
  const { pattern, own } = used;
  const onward = namedBy(used).map((to) => ({ key: pattern.key as EdgeKey, to }));
  return { answers: pattern.mayAnswer?.(own) ?? false, onward };
}
