// Finds the folders with agent files. The order is: the project's folders, the user's folders, the built-in folder.

import { existsSync, readdirSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Path } from "../../config/yaml.ts";
import { throwIfTemporary } from "../../errors.ts";
import type { Agent } from "../agent.ts";
import type { AgentInCode } from "../agent-in-code.ts";

export interface AgentFolders {
  project: string;
  /** The user's home folder. */
  user?: string;
  builtin: string;
  /** Agents that the embedding program defines in code. */
  inCode?: readonly AgentInCode[];
  /** The value of `roles` in cadre.yaml: the roles themselves, or the name of a file in the project. */
  roles?: { value: unknown; at(path: Path): { line: number; column: number } };
}

export interface AgentFolder {
  path: string;
  scope: Agent["scope"];
  /** True if subfolders are packs, so that an agent's name includes its subfolder. True only for Cadre's own folders. */
  packs: boolean;
  /** Agent files can refer only to files inside this folder. */
  root: string;
  /** Name of a file in messages and pinned definitions. It is never an absolute path. */
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

/** Whether the file is documentation, which many agents folders contain. Such a file is an agent only if it has front matter. */
export const isDocumentation = (file: string): boolean =>
  /(^|\/)(readme|agents|claude|gemini|changelog|contributing|license)(\.[a-z-]+)?\.md$/i.test(file);

const MAX_FILES = 5_000;

/** Lists the agent files of a folder, sorted by path. */
export async function listAgentFiles(
  folder: string,
  isAgentFile: RegExp = /\.(md|ai|toml|json)$/i,
): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    // The files of a skill are not agents.
    const skills = entries.flatMap(({ name, parentPath }) => (name === "SKILL.md" ? [parentPath] : []));
    const isOfSkill = (path: string): boolean =>
      skills.some((skill) => path === skill || path.startsWith(skill + sep));
    return entries
      .filter((entry) => !entry.isDirectory() && isAgentFile.test(entry.name))
      .filter(({ parentPath }) => !isOfSkill(parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !relative(folder, path).split(sep).includes("node_modules"))
      .sort()
      .slice(0, MAX_FILES);
  } catch (error) {
    throwIfTemporary(error);
    return [];
  }
}

/** Finds the path and the folder of a file by its name in messages. Undefined if there is no such agent file. */
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

/** Returns a text that changes whenever an agent file changes. This is cheaper than reading all files again for each run. */
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
  // Most of these folders do not exist. Checking first costs less than throwing an error.
  if (!existsSync(folder)) return [];
  try {
    // We do not use `recursive`, because it would call stat a second time for every file.
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
  } catch (error) {
    throwIfTemporary(error);
    return [];
  }
}

/** Path of the file below the folder, with `/` as separator. */
export const pathBelow = (folder: string, path: string): string =>
  relative(folder, path).split(sep).join("/") || basename(path);
