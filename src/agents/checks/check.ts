// A check is one rule about agents that needs the whole set.
// A check is pure and sees every agent as it was loaded, so the order of checks and agents does not matter.

import type { Definition } from "../../journal/definition.ts";
import type { Finding } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";

export interface CheckedAgent extends Agent {
  definition: Definition;
}

export interface CheckContext {
  agents: ReadonlyMap<string, Agent>;
  /** Names and aliases of all tools. Empty if they are not known. */
  toolNames: readonly string[];
  /** Names of the MCP servers. Absent if they are not known. */
  servers?: readonly string[] | undefined;
}

export type Check = (agent: CheckedAgent, context: CheckContext) => Finding[];
