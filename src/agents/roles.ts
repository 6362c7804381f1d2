// The roles of cadre.yaml (S2): written there, or in a file of the project.

import { createHash } from "node:crypto";
import { join, relative, sep } from "node:path";
import type { Problem } from "../config/problem.ts";
import type { Data, YamlDocument } from "../config/yaml.ts";
import { rolesDialect } from "./dialects/index.ts";
import { attachFiles } from "./files/attachments.ts";
import { readDataFile, wrapRoles } from "./files/data-file.ts";
import { type DraftFile, translateDrafts } from "./files/draft.ts";
import type { AgentFolders } from "./files/folders.ts";
import { isMapping, type ParsedAgent } from "./files/parse.ts";
import { readConfined } from "./files/read-confined.ts";

const CONFIG = "cadre.yaml";

export async function readConfigRoles(folders: AgentFolders): Promise<DraftFile[]> {
  const value = folders.roles?.value;
  if (typeof value === "string") return readRolesFile(value, folders);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [];
  const written: YamlDocument = {
    file: CONFIG,
    data: value as Data,
    problems: [],
    at: (path) => folders.roles!.at(["roles", ...path]),
  };
  const document = Array.isArray(value) ? wrapRoles(written) : written;
  return [await draftRoles(document, join(folders.project, CONFIG), folders.project)];
}

async function readRolesFile(name: string, { project, roles }: AgentFolders): Promise<DraftFile[]> {
  const read = await readConfined({ name, folder: project, root: project, within: "the project" });
  if ("text" in read) return [await draftRoles(readDataFile(read.text, name, 1), read.path, project)];
  const message = `\`roles\` names \`${name}\`, which ${read.problem}`;
  const place = { file: CONFIG, ...roles!.at(["roles"]) };
  return [{ file: CONFIG, drafts: [], skipped: { ...place, code: "BAD_ROLES", severity: "error", message } }];
}

async function draftRoles(document: YamlDocument, path: string, project: string): Promise<DraftFile> {
  const { file, data, problems } = document;
  const [problem] = problems;
  if (problem || !isMapping(data)) return { file, drafts: [], skipped: problem ?? noRoles(file) };
  const parsed: ParsedAgent = { file, frontmatter: data, body: "", bodyLine: 1, document, problems };
  const hash = createHash("sha256").update(JSON.stringify(data)).digest("hex");
  const place = { path: file, below: file, packs: false, scope: "project" as const, hash };
  const display = (at: string): string => relative(project, at).split(sep).join("/");
  const pointing = { path, folder: project, root: project, display };
  const drafts = translateDrafts(rolesDialect, parsed, place).map((draft) => attachFiles(draft, pointing));
  return { file, drafts: await Promise.all(drafts) };
}

const noRoles = (file: string): Problem => ({
  file,
  line: 1,
  column: 1,
  code: "BAD_ROLES",
  severity: "error",
  message: "there are no roles in it",
});
