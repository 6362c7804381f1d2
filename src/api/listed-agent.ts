// An agent as the project lists it, and what is wrong with the files.

import type { Agent } from "../agents/agent.ts";
import type { Problem } from "../config/problem.ts";

/** An agent as the list shows it. */
export type ListedAgent = Pick<Agent, "name" | "file" | "definition" | "dialect" | "scope" | "references"> & {
  problems: readonly Problem[];
};

export interface ListedAgents {
  agents: ReadonlyMap<string, ListedAgent>;
  problems: readonly Problem[];
}
