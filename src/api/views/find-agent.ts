// Finds the agent that a URL names. As in `cadre run`, a title in any spelling is accepted, and the pack's name can be left out.

import { resolveName } from "../../agents/compile/names.ts";
import { agentId } from "../../journal/agent-id.ts";
import type { ApiParts, ListedAgent } from "../parts.ts";

export async function findAgent(
  { agents }: Pick<ApiParts, "agents">,
  name: string,
): Promise<ListedAgent | undefined> {
  const found = resolveName(await agents(name), name);
  return found && "agent" in found ? found.agent : undefined;
}

/**
 * Finds the name under which the store keeps an agent's runs.
 * If any runs have exactly this name, they belong to a deleted agent. The name then means that agent, even if it is another agent's short name.
 */
export async function storedAgentName(
  parts: Pick<ApiParts, "agents" | "store">,
  name: string,
): Promise<string> {
  const id = agentId(name);
  const found = await findAgent(parts, name);
  if (!found || found.name === id) return id;
  const { runs } = await parts.store.runs.list({ agent: id, limit: 1 });
  return runs.length > 0 ? id : found.name;
}
