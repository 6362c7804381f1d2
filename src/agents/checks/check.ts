// A check is one rule about agents. It can only be applied to the whole set of agents.
// A check is a pure function of the agents that were loaded. So the order of the checks and of the agents does not matter.

import type { Definition } from "../../journal/definition.ts";
import type { Reasoning } from "../../journal/reasoning.ts";
import type { Finding } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";

export interface CheckedAgent extends Agent {
  definition: Definition;
}

export interface CheckContext {
  agents: ReadonlyMap<string, Agent>;
  /** Names and aliases of all tools. The list is empty if the tools are not known. */
  toolNames: readonly string[];
  /** Names of the MCP servers. Absent if the servers are not known. */
  servers?: readonly string[] | undefined;
  /** Says why a model cannot reason as an agent asks. Absent if the models are not known. */
  reasoningProblem?: ((model: string, reasoning: Reasoning) => string | undefined) | undefined;
}

export type Check = (agent: CheckedAgent, context: CheckContext) => Finding[];
