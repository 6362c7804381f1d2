// An agent's file as it lies on disk now, for people who look at it. Only files that were read as agents are found: what
// is asked for is what an agent says that it came from, never a path from outside.

import type { Data } from "../../config/yaml.ts";
import { type AgentFolders, foldersToSearch, listAgentFiles } from "./folders.ts";
import { parseAgent } from "./parse.ts";
import { readSource } from "./read.ts";

export interface AgentFile {
  text: string;
  /** Empty where it could not be read. */
  frontmatter: Record<string, Data>;
  body: string;
  /** The line of the file that the body starts on. */
  bodyLine: number;
}

/** `file`: as the agent is said to come from. Undefined: it comes from no file of its own, or that is gone. */
export async function agentFile(folders: AgentFolders, file: string): Promise<AgentFile | undefined> {
  for (const { path: folder, display } of foldersToSearch(folders)) {
    const path = (await listAgentFiles(folder)).find((each) => display(each) === file);
    if (path === undefined) continue;
    const text = await readSource(path, file);
    if (typeof text !== "string") return undefined;
    const { frontmatter, body, bodyLine } = parseAgent(text, file);
    return { text, frontmatter: { ...frontmatter }, body, bodyLine };
  }
  return undefined;
}
