// Reads an agent's file from disk for display.
// Only files that were read as agents are found, so a caller cannot ask for an arbitrary path.

import type { Data } from "../../config/yaml.ts";
import { type AgentFolders, locateAgentFile } from "./folders.ts";
import { parseAgent } from "./parse.ts";
import { readSource } from "./read.ts";

export interface AgentFile {
  text: string;
  /** Empty if the file could not be parsed. */
  frontmatter: Record<string, Data>;
  body: string;
  /** First line of the body in the file. */
  bodyLine: number;
}

/** `file` is the agent's file as messages name it. Undefined if the agent has no file, or if the file is gone. */
export async function agentFile(folders: AgentFolders, file: string): Promise<AgentFile | undefined> {
  const found = await locateAgentFile(folders, file);
  const text = found && (await readSource(found.path, file));
  if (typeof text !== "string") return undefined;
  const { frontmatter, body, bodyLine } = parseAgent(text, file);
  return { text, frontmatter: { ...frontmatter }, body, bodyLine };
}
