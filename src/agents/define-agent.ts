// An agent that a program has in its code and not in a file: the same keys, held to the same checks.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { z } from "zod";
import type { Data, YamlDocument } from "../config/yaml.ts";
import { attach } from "./attachments.ts";
import { type DraftFile, ownDraft } from "./draft.ts";
import type { AgentFolders } from "./folders.ts";
import type { KEYS } from "./frontmatter.ts";

type Keys = { [Key in keyof typeof KEYS]?: z.input<(typeof KEYS)[Key]> };

/** Its schemas may lie in files of the project; what controls it, `steps`, belongs to an agent that is a file. */
export interface AgentInCode extends Omit<Keys, "name" | "steps" | "dialect"> {
  name: string;
  /** What stands below the keys in a file. */
  prompt: string;
}

export function defineAgent(agent: AgentInCode): AgentInCode {
  return agent;
}

export function draftAgentsInCode({ inCode = [], project }: AgentFolders): Promise<DraftFile[]> {
  return Promise.all(inCode.map((agent) => draftAgentInCode(agent, project)));
}

async function draftAgentInCode({ prompt, ...keys }: AgentInCode, project: string): Promise<DraftFile> {
  const file = `code:${keys.name}`;
  const data = keys as Record<string, Data>;
  const document: YamlDocument = { file, data, problems: [], at: () => ({ line: 1, column: 1 }) };
  const parsed = { file, frontmatter: data, body: prompt, bodyLine: 1, document, problems: [] };
  const text = JSON.stringify({ prompt, ...keys });
  const hash = createHash("sha256").update(text).digest("hex");
  const draft = ownDraft(parsed, { path: file, below: file, packs: false, scope: "project", hash });
  const pointing = { path: join(project, "code"), folder: project, root: project, display: () => file };
  return { file, drafts: [await attach(draft, pointing)] };
}
