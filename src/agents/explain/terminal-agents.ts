// Whose words are the answer (S3-46, S3-47): calling an agent returns the output of its terminal agent. A handoff gives
// the answer away, a router gives the whole request away; plain, advised and coordinating agents answer themselves.

import type { Definition } from "../../journal/definition.ts";
import type { Agent } from "../agent.ts";
import type { Edge } from "./edges.ts";

export interface TerminalAgent {
  agent: string;
  /** How the answer comes to be given there; empty: by the agent itself. */
  path: Edge[];
}

export const isTerminal = ({ handoff, router, finalizes, agents }: Definition): boolean =>
  handoff === undefined && router === undefined && (finalizes !== false || agents.length === 0);

/** Every agent that may give the answer, once each, by the shortest way, in the order of the file. */
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

/** An agent that is not there or broken is where the way ends. */
function whatFollows(definition: Definition | undefined): { answers: boolean; onward: Edge[] } {
  if (!definition || isTerminal(definition)) return { answers: true, onward: [] };
  const { handoff, router, agents } = definition;
  if (handoff !== undefined) return { answers: false, onward: [{ key: "handoff", to: handoff.agent }] };
  if (!router) return { answers: false, onward: agents.map((to) => ({ key: "agents", to })) };
  const names = [...router.destinations, ...(router.fallback === undefined ? [] : [router.fallback])];
  return { answers: router.allowAnswer, onward: names.map((to) => ({ key: "router", to })) };
}
