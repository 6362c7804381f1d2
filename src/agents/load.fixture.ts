import type { AgentEnvironment } from "./agent.ts";
import type { AgentFolders } from "./files/folders.ts";
import { readAgentFiles } from "./files/read.ts";
import { type AgentSet, assembleAgents } from "./load.ts";

export async function loadAgents(folders: AgentFolders, known: AgentEnvironment): Promise<AgentSet> {
  return assembleAgents(await readAgentFiles(folders), known);
}
