// Lists which agents an agent can start, and which key of its file names them. Checks, explanations and drawings use this list.
// The edges are in the order in which a run reaches the agents.

import type { Definition } from "../../journal/definition.ts";
import { EDGE_KEYS, type EdgeKey, namedBy, patternsIn } from "../../patterns/declarations/facts.ts";

export interface Edge {
  key: EdgeKey;
  /** Full name of the agent that is started. */
  to: string;
}

export function edgesOf(definition: Definition): Edge[] {
  const named = new Map(patternsIn(definition).map((used) => [used.pattern.key, namedBy(used)]));
  // A router's destination can also be in `agents`. It still gets only one edge.
  const chosen = patternsIn(definition)
    .filter(({ pattern }) => pattern.choices)
    .flatMap(namedBy);
  named.set(
    "agents",
    definition.agents.filter((name) => !chosen.includes(name)),
  );
  return EDGE_KEYS.flatMap((key) => [...new Set(named.get(key))].map((to) => ({ key, to })));
}

/** Edges that come from patterns. These agents start even if no model decides to delegate. */
export const patternEdges = (definition: Definition): Edge[] =>
  edgesOf(definition).filter(({ key }) => key !== "agents");
