// Agents in code as drafts, like those of files.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Data, YamlDocument } from "../config/yaml.ts";
import type { AgentInCode } from "./define-agent.ts";
import { attachFiles } from "./files/attachments.ts";
import { cadreDraft, type DraftFile } from "./files/draft.ts";
import type { AgentFolders } from "./files/folders.ts";

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
  const draft = cadreDraft(parsed, { path: file, below: file, packs: false, scope: "project", hash });
  const pointing = { path: join(project, "code"), folder: project, root: project, display: () => file };
  return { file, drafts: [await attachFiles(draft, pointing)] };
}
