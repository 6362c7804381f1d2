// Finds the folders with agent files, nearest first: the project's, the user's, the built-in one.

import { existsSync, readdirSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Path } from "../../config/yaml.ts";
import type { Agent } from "../agent.ts";
import type { AgentInCode } from "../define-agent.ts";

export interface AgentFolders {
  project: string;
  /** The user's home folder. */
  user?: string;
  builtin: string;
  /** Agents that the embedding program defines. */
  inCode?: readonly AgentInCode[];
  /** `roles` of cadre.yaml: the roles themselves, or the name of a file in the project. */
  roles?: { value: unknown; at(path: Path): { line: number; column: number } };
}

export interface AgentFolder {
  path: string;
  scope: Agent["scope"];
  /** Whether subfolders are packs, and so part of the agents' names. They are in Cadre's own folders. */
  packs: boolean;
  /** Agent files may only point to files inside this folder. */
  root: string;
  /** Name of a file in messages and pinned definitions, never an absolute path. */
  display(path: string): string;
}

const PROJECT_FOLDERS = ["agents", ".cadre/agents", ".claude/agents", ".opencode/agent", ".github/agents"];
const USER_FOLDERS = [".cadre/agents", ".claude/agents", ".config/opencode/agent"];
const OURS = new Set(["agents", ".cadre/agents"]);

export function foldersToSearch({ project, user, builtin }: AgentFolders): AgentFolder[] {
  const folder = (base: string, name: string, scope: Agent["scope"]): AgentFolder => ({
    path: resolve(base, name),
    scope,
    packs: OURS.has(name) || scope === "builtin",
    root: scope === "project" ? resolve(base) : resolve(base, name),
    display: (path) => PREFIX[scope] + relative(base, path).split(sep).join("/"),
  });
  return [
    ...PROJECT_FOLDERS.map((name) => folder(project, name, "project")),
    ...(user === undefined ? [] : USER_FOLDERS.map((name) => folder(user, name, "user"))),
    folder(builtin, ".", "builtin"),
  ];
}

const PREFIX = { project: "", user: "~/", builtin: "builtin:" };

/** Whether the file is documentation as found in many agents folders. Such a file is an agent only if it has front matter. */
export const isDocumentation = (file: string): boolean =>
  /(^|\/)(readme|agents|claude|gemini|changelog|contributing|license)(\.[a-z-]+)?\.md$/i.test(file);

const MAX_FILES = 5_000;

/** Sorted by path. */
export async function listAgentFiles(
  folder: string,
  isAgentFile: RegExp = /\.(md|ai|toml|json)$/i,
): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && isAgentFile.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !relative(folder, path).split(sep).includes("node_modules"))
      .sort()
      .slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

/** Path and folder of the file that messages call `file`. Undefined if there is no such agent file. */
export async function locateAgentFile(
  folders: AgentFolders,
  file: string,
): Promise<{ path: string; folder: AgentFolder } | undefined> {
  for (const folder of foldersToSearch(folders)) {
    const path = (await listAgentFiles(folder.path)).find((each) => folder.display(each) === file);
    if (path !== undefined) return { path, folder };
  }
  return undefined;
}

/** A text that changes whenever an agent file changes. It costs less than reading all files again for each run. */
export function agentsStamp(folders: AgentFolders): string {
  const roles = folders.roles?.value;
  return foldersToSearch(folders)
    .filter(({ scope }) => scope !== "builtin")
    .flatMap(({ path }) => filesBelow(path))
    .concat(typeof roles === "string" && !roles.includes("\0") ? [resolve(folders.project, roles)] : [])
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return `${file} ${found?.ino} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`;
    })
    .join("\n");
}

function filesBelow(folder: string): string[] {
  // Most of these folders do not exist, and a thrown error would cost more than this check.
  if (!existsSync(folder)) return [];
  try {
    // `recursive` is not used, because it calls stat once more for every file.
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
  } catch {
    return [];
  }
}

/** Path of the file below the folder, with `/`. */
export const pathBelow = (folder: string, path: string): string =>
  relative(folder, path).split(sep).join("/") || basename(path);
