import type { Known } from "./agent.ts";
import type { AgentFolders } from "./folders.ts";
import { type AgentSet, assemble } from "./load.ts";
import { readAgentFiles } from "./read.ts";

export async function loadAgents(folders: AgentFolders, known: Known): Promise<AgentSet> {
  return assemble(await readAgentFiles(folders), known);
}
