// Reads agents from all sources into drafts: from folders, from code, and from `roles` in cadre.yaml.
// If a file cannot be used, the result says why, and the other files are still read.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Problem } from "../../config/problem.ts";
import type { Data, YamlDocument } from "../../config/yaml.ts";
import { messageOf, throwIfTemporary } from "../../errors.ts";
import type { AgentInCode } from "../agent-in-code.ts";
import { rolesDialect } from "../dialects/index.ts";
import { stepsHash } from "../load-steps.ts";
import { attachFiles } from "./attachments.ts";
import { readDataFile, wrapRoles } from "./data-file.ts";
import { cadreDraft, createDrafts, type DraftFile, translateDrafts } from "./draft.ts";
import {
  type AgentFolder,
  type AgentFolders,
  foldersToSearch,
  isDocumentation,
  listAgentFiles,
  pathBelow,
} from "./folders.ts";
import { isMapping, MAX_FILE, type ParsedAgent, parseAgent, tooLargeFile, unreadableFile } from "./parse.ts";
import { readConfined } from "./read-confined.ts";

/** Drafts of all agents. The drafts from the nearest folder come first. */
export async function readAgentFiles(folders: AgentFolders): Promise<DraftFile[]> {
  const { own, builtin } = await readOwnFiles(folders);
  return [...own, ...(await builtin())];
}

export interface OwnFiles {
  own: DraftFile[];
  /** Reads the built-in agents, which have the lowest precedence. */
  builtin(): Promise<DraftFile[]>;
}

/** Reads the agents of the project and of the user. The built-in agents are read only when they are needed. */
export async function readOwnFiles(folders: AgentFolders): Promise<OwnFiles> {
  const {
    project = [],
    user = [],
    builtin = [],
  } = Object.groupBy(foldersToSearch(folders), ({ scope }) => scope);
  const seen = new Set<string>();
  const own = [
    ...(await draftAgentsInCode(folders)),
    ...(await readFolders(project, seen)),
    ...(await readConfigRoles(folders)),
    ...(await readFolders(user, seen)),
  ];
  return { own, builtin: () => readFolders(builtin, new Set(seen)) };
}

/** `seen` has the paths that were already read. If the home folder is also the project, its files are read only once. */
async function readFolders(folders: readonly AgentFolder[], seen: Set<string>): Promise<DraftFile[]> {
  const found: DraftFile[] = [];
  for (const folder of folders) {
    for (const path of await listAgentFiles(folder.path)) {
      if (!seen.has(path))
        found.push(await (folder.scope === "builtin" ? readBuiltin : readAgentFile)(path, folder));
      seen.add(path);
    }
  }
  return found;
}

const builtins = new Map<string, Promise<DraftFile>>();

/** Built-in agents never change, so a process reads them only once for all projects. */
function readBuiltin(path: string, folder: AgentFolder): Promise<DraftFile> {
  const known = builtins.get(path) ?? readAgentFile(path, folder);
  builtins.set(path, known);
  known.catch(() => builtins.delete(path));
  return known;
}

/** `way` is a path that shows which product the file was written for. By default, it is the file's name in messages. */
export async function readAgentFile(path: string, folder: AgentFolder, way?: string): Promise<DraftFile> {
  return draftFile(await readSource(path, folder.display(path)), path, folder, way);
}

/** Creates the drafts of a file, as if the file had this content. */
export async function draftFile(
  source: string | ParsedAgent,
  path: string,
  folder: AgentFolder,
  way?: string,
): Promise<DraftFile> {
  const file = folder.display(path);
  const parsed = typeof source === "string" ? parseAgent(source, file) : source;
  const missing = notAgentProblem(parsed);
  if (missing) return skippedFile({ ...missing, message: `${missing.message}: not read as an agent` });
  const drafts = createDrafts(parsed, {
    path: way ?? file,
    below: pathBelow(folder.path, path),
    packs: folder.packs,
    scope: folder.scope,
    hash: sha256(typeof source === "string" ? source : ""),
  });
  if (drafts.length > 0) {
    const { display } = folder;
    const pointing = { path, folder: folder.path, root: folder.root, display };
    return { file, drafts: await Promise.all(drafts.map((draft) => attachFiles(draft, pointing))) };
  }
  const message = "unknown kind of data: not read as an agent";
  return skippedFile({ file, line: 1, column: 1, code: "NOT_AN_AGENT", severity: "warning", message });
}

/** Documentation without front matter is not a mistake. Documentation with broken front matter is reported. */
function notAgentProblem({ file, problems }: ParsedAgent): Problem | undefined {
  const missing = problems.find(({ code }) => code === "NO_FRONTMATTER");
  if (!isDocumentation(file)) return missing;
  return missing ? { ...missing, code: "NOT_AN_AGENT" } : problems.find(({ code }) => UNREAD.has(code));
}

const UNREAD = new Set(["FRONTMATTER_UNCLOSED", "BAD_FRONTMATTER", "FILE_UNREADABLE", "FILE_TOO_LARGE"]);

const skippedFile = (problem: Problem): DraftFile => ({
  file: problem.file,
  drafts: [],
  skipped: { ...problem, severity: "warning" },
});

export async function readSource(path: string, file: string): Promise<string | ParsedAgent> {
  try {
    const found = await stat(path);
    // We refuse a device or a pipe, because reading it would never end.
    if (!found.isFile()) return unreadable(file, "is not a file");
    if (found.size > MAX_FILE) return tooLargeFile(file, "the file is larger than 1 MB");
    return await readFile(path, "utf8");
  } catch (error) {
    throwIfTemporary(error);
    return unreadable(file, messageOf(error).split(/[,:]/)[0]!);
  }
}

const unreadable = (file: string, why: string): ParsedAgent =>
  unreadableFile({ file, line: 1, code: "FILE_UNREADABLE", message: `the file cannot be read (${why})` });

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const CONFIG = "cadre.yaml";

/** Reads the roles of cadre.yaml (S2). They are in cadre.yaml itself, or in a file of the project. */
async function readConfigRoles(folders: AgentFolders): Promise<DraftFile[]> {
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
  const hash = sha256(JSON.stringify(data));
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

function draftAgentsInCode({ inCode = [], project }: AgentFolders): Promise<DraftFile[]> {
  return Promise.all(inCode.map((agent) => draftAgentInCode(agent, project)));
}

async function draftAgentInCode(
  { prompt, steps, ...keys }: AgentInCode,
  project: string,
): Promise<DraftFile> {
  const file = `code:${keys.name}`;
  const data = { ...keys, ...(steps && { steps: file }) } as Record<string, Data>;
  const document: YamlDocument = { file, data, problems: [], at: () => ({ line: 1, column: 1 }) };
  const parsed = { file, frontmatter: data, body: prompt, bodyLine: 1, document, problems: [] };
  const hash = sha256(JSON.stringify({ prompt, ...data }));
  const read = cadreDraft(parsed, { path: file, below: file, packs: false, scope: "project", hash });
  const draft = steps ? { ...read, steps: { module: file, hash: stepsHash(steps.toString()) } } : read;
  const pointing = { path: join(project, "code"), folder: project, root: project, display: () => file };
  return { file, drafts: [await attachFiles(draft, pointing)] };
}
