// Where agent files lie: the project's folders, then the user's, then the built-in one. Nearer comes first.

import { existsSync, readdirSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Path } from "../../config/yaml.ts";
import type { Agent } from "../agent.ts";
import type { AgentInCode } from "../define-agent.ts";

export interface AgentFolders {
  project: string;
  /** The user's home. */
  user?: string;
  /** The folder of the agents that come with Cadre. */
  builtin: string;
  /** What the program that embeds Cadre has defined itself. */
  inCode?: readonly AgentInCode[];
  /** What `roles` of cadre.yaml says: the roles themselves, or the name of a file in the project. */
  roles?: { value: unknown; at(path: Path): { line: number; column: number } };
}

export interface AgentFolder {
  path: string;
  scope: Agent["scope"];
  /** Ours: folders below are packs, and part of their agents' names. */
  packs: boolean;
  /** What files of its agents may point into. */
  root: string;
  /** How its files are called in messages and in pinned definitions: never by a path of this machine. */
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

/** Called like what lies in agents folders without being an agent: one only if it has front matter. */
export const isDocumentation = (file: string): boolean =>
  /(^|\/)(readme|agents|claude|gemini|changelog|contributing|license)(\.[a-z-]+)?\.md$/i.test(file);

const MAX_FILES = 5_000;

/** In the order of their paths. */
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

/** Changes whenever a file below the searched folders does: reading them all again costs more than a run's first steps. */
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
  // Most of them are not there, and an error that is thrown costs more than reading one that is.
  if (!existsSync(folder)) return [];
  try {
    // Not `recursive`: that asks the disk about every file once more.
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
  } catch {
    return [];
  }
}

/** The file's way below the folder, with `/`. */
export const pathBelow = (folder: string, path: string): string =>
  relative(folder, path).split(sep).join("/") || basename(path);
