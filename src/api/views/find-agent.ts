// Who is meant by the name of an agent in an address: as `cadre run` takes it, in any spelling, by a title or without its pack.

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

/** By what name its runs are kept. One that is gone has left runs under its own name, which somebody else's short name must not hide. */
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
