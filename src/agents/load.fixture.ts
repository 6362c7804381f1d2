import type { AgentEnvironment } from "./agent.ts";
import type { AgentFolders } from "./folders.ts";
import { type AgentSet, assembleAgents } from "./load.ts";
import { readAgentFiles } from "./read.ts";

export async function loadAgents(folders: AgentFolders, known: AgentEnvironment): Promise<AgentSet> {
  return assembleAgents(await readAgentFiles(folders), known);
}
