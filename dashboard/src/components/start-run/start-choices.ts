// The agents that a person can start: those of the project and of the user first, the built-in ones apart.

import type { AgentView } from "../../../../src/api/client/types.ts";

export interface StartChoices<A> {
  own: A[];
  builtIn: A[];
}

/** Only main agents can be started. Each list is in the order of the names. */
export function startChoices<A extends Pick<AgentView, "name" | "kind" | "scope">>(
  agents: readonly A[],
): StartChoices<A> {
  const mains = agents
    .filter(({ kind }) => kind === "main")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    own: mains.filter(({ scope }) => scope !== "builtin"),
    builtIn: mains.filter(({ scope }) => scope === "builtin"),
  };
}
