// Reads an agent's file from disk, to show it to a person.
// Only files that were loaded as agents are found, so a caller cannot read an arbitrary path.

import type { Data } from "../../config/yaml.ts";
import { type AgentFolders, locateAgentFile } from "./folders.ts";
import { parseAgent } from "./parse.ts";
import { readSource } from "./read.ts";

export interface AgentFile {
  text: string;
  /** The front matter. Empty if it could not be parsed. */
  frontmatter: Record<string, Data>;
  body: string;
  bodyLine: number;
}

/** `file` is the name of the agent's file in messages. Undefined if the agent has no file, or if the file no longer exists. */
export async function agentFile(folders: AgentFolders, file: string): Promise<AgentFile | undefined> {
  const found = await locateAgentFile(folders, file);
  const text = found && (await readSource(found.path, file));
  if (typeof text !== "string") return undefined;
  const { frontmatter, body, bodyLine } = parseAgent(text, file);
  return { text, frontmatter: { ...frontmatter }, body, bodyLine };
}
