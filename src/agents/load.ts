// Finds the agents of a project: its own folders, then the user's, then the built-in ones. Nearer wins and says so; a
// file that cannot be used never stops the others.

import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { hasErrors, nearest, type Problem, problemText } from "../config/problem.ts";
import { CadreError, messageOf } from "../errors.ts";
import { type Agent, agentId, compileAgent, type ModelNames } from "./agent.ts";
import { resolveIncludes } from "./include.ts";
import { type ParsedAgent, parseAgent } from "./parse.ts";
import { validateAgents } from "./validate.ts";

export interface AgentSet {
  agents: Map<string, Agent>;
  /** Everything that is wrong or worth knowing, the agents' own problems included. */
  problems: Problem[];
}

export interface AgentFolders {
  project: string;
  /** The user's home. */
  user?: string;
  /** The folder of the agents that come with Cadre. */
  builtin: string;
}

const PROJECT_FOLDERS = ["agents", ".cadre/agents", ".claude/agents", ".opencode/agent", ".github/agents"];
const USER_FOLDERS = [".cadre/agents", ".claude/agents", ".config/opencode/agent"];
const MAX_FILES = 5_000;
const MAX_BYTES = 4_000_000;

/** `toolNames`: the names and aliases of every tool; with them, rules for tools that nobody has are reported. */
export async function loadAgents(
  folders: AgentFolders,
  models: ModelNames,
  toolNames?: readonly string[],
): Promise<AgentSet> {
  const agents = new Map<string, Agent>();
  const notes: Problem[] = [];
  const seen = new Set<string>();
  for (const folder of searchedFolders(folders)) {
    for (const path of await agentFiles(folder.path)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const loaded = await loadFile(path, folder, { models, toolNames });
      if ("skipped" in loaded) {
        notes.push(loaded.skipped);
        continue;
      }
      const nearer = agents.get(loaded.name);
      if (nearer) notes.push(shadowed(loaded, nearer));
      else agents.set(loaded.name, loaded);
    }
  }
  validateAgents(agents);
  return { agents, problems: [...notes, ...[...agents.values()].flatMap((agent) => agent.problems)] };
}

/** Changes whenever a file below the searched folders does: reading them all again costs more than a run's first steps. */
export function agentsStamp(folders: AgentFolders): string {
  return searchedFolders(folders)
    .flatMap(({ path }) => filesBelow(path))
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return `${file} ${found?.ino} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`;
    })
    .join("\n");
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** The agent by its name, ready to run. */
export function findAgent(
  set: AgentSet,
  name: string,
): Agent & { definition: NonNullable<Agent["definition"]> } {
  const agent = set.agents.get(name) ?? set.agents.get(agentId(name));
  if (!agent) throw notFound(set, name);
  const { definition } = agent;
  if (definition) return { ...agent, definition };
  const first = agent.problems.find((problem) => problem.severity === "error");
  const why = first ? problemText(first) : `${agent.file} cannot be used`;
  throw new CadreError("AGENT_INVALID", `Agent \`${agent.name}\` cannot run: ${why}`, {
    problems: agent.problems,
  });
}

function notFound(set: AgentSet, name: string): CadreError {
  const known = [...set.agents.keys()].sort();
  const meant = nearest(name, known);
  const list =
    known.length > 0 ? `Known agents: ${known.join(", ")}.` : "No agents were found: add agents/<name>.md.";
  const hint = meant ? ` Did you mean \`${meant}\`?` : "";
  return new CadreError("AGENT_NOT_FOUND", `There is no agent \`${name}\`.${hint} ${list}`, { known });
}

interface Folder {
  path: string;
  /** How its files are called in messages and in pinned definitions: never by a path of this machine. */
  display(path: string): string;
}

function searchedFolders({ project, user, builtin }: AgentFolders): Folder[] {
  const below = (base: string, prefix: string) => (path: string) =>
    prefix + relative(base, path).split(sep).join("/");
  const folder = (base: string, name: string, prefix: string): Folder => ({
    path: resolve(base, name),
    display: below(base, prefix),
  });
  return [
    ...PROJECT_FOLDERS.map((name) => folder(project, name, "")),
    ...(user === undefined ? [] : USER_FOLDERS.map((name) => folder(user, name, "~/"))),
    folder(builtin, ".", "builtin:"),
  ];
}

/** Files that live in agents folders without being agents. */
const NOT_AGENTS = /^(readme|agents|claude|gemini|changelog|contributing|license)(\.[a-z-]+)?\.md$/i;

async function agentFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md") && !NOT_AGENTS.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes(`${sep}node_modules${sep}`))
      .sort()
      .slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

interface Known {
  models: ModelNames;
  toolNames: readonly string[] | undefined;
}

async function loadFile(path: string, folder: Folder, known: Known): Promise<Agent | { skipped: Problem }> {
  const file = folder.display(path);
  const source = await readSource(path);
  if (typeof source !== "string") return broken(file, source.unreadable);
  const parsed = parseAgent(source, file);
  const missing = parsed.problems.find(({ code }) => code === "NO_FRONTMATTER");
  if (missing)
    return { skipped: { ...missing, severity: "warning", message: "no front matter: not read as an agent" } };
  const hash = createHash("sha256").update(source).digest("hex");
  const complete: ParsedAgent = hasErrors(parsed.problems)
    ? parsed
    : await resolveIncludes(parsed, path, folder.path);
  return compileAgent(complete, known.models, hash, known.toolNames);
}

async function readSource(path: string): Promise<string | { unreadable: string }> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return { unreadable: "the file is larger than 1 MB" };
    return await readFile(path, "utf8");
  } catch (error) {
    return { unreadable: `the file cannot be read (${messageOf(error).split(/[,:]/)[0]})` };
  }
}

function broken(file: string, message: string): Agent {
  const problem: Problem = { file, line: 1, column: 1, code: "FILE_UNREADABLE", severity: "error", message };
  const name = agentId(basename(file, ".md"));
  return { name, file, definition: undefined, references: [], problems: [problem] };
}

function shadowed(agent: Agent, nearer: Agent): Problem {
  const message = `agent \`${agent.name}\` is not used: ${nearer.file} has the same name and is nearer`;
  return { file: agent.file, line: 1, column: 1, code: "AGENT_SHADOWED", severity: "warning", message };
}
