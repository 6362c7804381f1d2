// Who can start whom, and by which key of the agent's file: the arrows that checks, explanations and drawings share, in
// the order in which a run meets them.

import type { Definition } from "../../journal/definition.ts";

export type EdgeKey = "advisors" | "team" | "bestOf" | "agents" | "router" | "handoff";

export interface Edge {
  key: EdgeKey;
  /** Full name. */
  to: string;
}

export function edgesOf(definition: Definition): Edge[] {
  const { advisors, team, bestOf, agents, router, handoff } = definition;
  const routed = router ? [...router.destinations, ...listed(router.fallback)] : [];
  const delegated = agents.filter((name) => !routed.includes(name));
  const edges = (key: EdgeKey, names: readonly string[]): Edge[] =>
    [...new Set(names)].map((to) => ({ key, to }));
  return [
    ...edges("advisors", advisors?.agents ?? []),
    ...edges("team", team?.members ?? []),
    ...edges("bestOf", listed(bestOf?.judge)),
    ...edges("agents", delegated),
    ...edges("router", routed),
    ...edges("handoff", listed(handoff?.agent)),
  ];
}

/** Those that start by themselves: not because a model chose to delegate. */
export const patternEdges = (definition: Definition): Edge[] =>
  edgesOf(definition).filter(({ key }) => key !== "agents");

const listed = (name: string | undefined): string[] => (name === undefined ? [] : [name]);
