// Lists which agents an agent can start, and by which key of its file. Checks, explanations and drawings share these edges.
// They are in the order in which a run reaches them.

import type { Definition } from "../../journal/definition.ts";
import { EDGE_KEYS, type EdgeKey, namedBy, patternsIn } from "../../patterns/declarations/facts.ts";

export interface Edge {
  key: EdgeKey;
  /** Full name of the started agent. */
  to: string;
}

export function edgesOf(definition: Definition): Edge[] {
  const named = new Map(patternsIn(definition).map((used) => [used.pattern.key, namedBy(used)]));
  // A router may repeat its destinations in `agents`.
  const chosen = patternsIn(definition)
    .filter(({ pattern }) => pattern.choices)
    .flatMap(namedBy);
  named.set(
    "agents",
    definition.agents.filter((name) => !chosen.includes(name)),
  );
  return EDGE_KEYS.flatMap((key) => [...new Set(named.get(key))].map((to) => ({ key, to })));
}

/** The edges of patterns. These agents start without a model's decision to delegate. */
export const patternEdges = (definition: Definition): Edge[] =>
  edgesOf(definition).filter(({ key }) => key !== "agents");
