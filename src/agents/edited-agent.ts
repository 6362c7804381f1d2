// Compiles an agent from an edited text, as if the agent's file had this content. Nothing is written to disk.

import { join } from "node:path";
import { problemText } from "../config/problem.ts";
import { CadreError } from "../errors.ts";
import { EDITED, startsPrograms } from "../journal/definition.ts";
import type { Agent, AgentEnvironment } from "./agent.ts";
import { type AgentFolder, type AgentFolders, foldersToSearch, locateAgentFile } from "./files/folders.ts";
import { MAX_FILE } from "./files/parse.ts";
import { draftFile, readAgentFiles } from "./files/read.ts";
import { assembleAgents, findAgent } from "./load.ts";

/**
 * Loads an agent from an edited text of its file. `file` is the file's name in messages, possibly with the mark of an earlier edit.
 * The text does not inherit the file's trust: the result is marked as edited, and starts a program or a module only in a trusted folder (A80).
 * Throws AGENT_INVALID if the text is not an agent.
 */
export async function loadEditedAgent(
  folders: AgentFolders,
  known: AgentEnvironment,
  { file: named, text, trusted }: { file: string; text: string; trusted: boolean },
): Promise<Agent & { definition: NonNullable<Agent["definition"]> }> {
  if (text.length > MAX_FILE) throw invalidText("it is larger than 1 MB");
  const file = named.replace(EDITED, "");
  const { path, folder } = (await locateAgentFile(folders, file)) ?? projectLocation(folders);
  const edited = await draftFile(text, path, folder);
  const [draft] = edited.drafts;
  if (!draft) throw invalidText(edited.skipped ? problemText(edited.skipped) : "it names none");
  const others = (await readAgentFiles(folders)).filter((other) => other.file !== edited.file);
  const agent = findAgent(assembleAgents([edited, ...others], known), draft.name);
  const { source } = agent.definition;
  if (!trusted && startsPrograms(agent.definition))
    throw invalidText("it starts a program (`runner` or `steps`), and this folder is not trusted");
  return {
    ...agent,
    definition: { ...agent.definition, source: { ...source, file: EDITED + source.file } },
  };
}

/** If the agent's file does not exist, the agent is treated as an agent of the project. */
function projectLocation(folders: AgentFolders): { path: string; folder: AgentFolder } {
  const [folder] = foldersToSearch(folders);
  return { path: join(folder!.path, "edited.md"), folder: folder! };
}

const invalidText = (why: string): CadreError =>
  new CadreError("AGENT_INVALID", `The text is not an agent: ${why}. Nothing was started.`);
