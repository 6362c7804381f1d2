// Validates single files or whole folders of any supported product.
// Each file is reported as loaded, loaded with warnings, or skipped with a reason.
// References to other agents are not checked, because those agents can be in other folders.

import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasErrors, type Problem } from "../config/problem.ts";
import type { Agent, AgentEnvironment } from "./agent.ts";
import { compileAgent } from "./compile/compile-agent.ts";
import { applyExtends } from "./compile/extends.ts";
import type { Draft, DraftFile } from "./files/draft.ts";
import { type AgentFolder, isDocumentation, listAgentFiles } from "./files/folders.ts";
import { readAgentFile } from "./files/read.ts";

export interface FileReport {
  file: string;
  /** Name of the agent. If the file contains several agents, this is the name of the first. */
  name?: string;
  dialect: string;
  status: "loaded" | "warnings" | "skipped";
  problems: Problem[];
}

const AGENT_FILE = /\.(md|ai|toml|json)$|^(\.roomodes|custom_modes\.ya?ml)$/i;

/** Creates one report for each file, sorted by file. */
export async function validateFiles(
  paths: readonly string[],
  known: AgentEnvironment,
): Promise<FileReport[]> {
  const files = new Map<string, DraftFile>();
  for (const path of paths) {
    for (const found of await readPath(path)) files.set(found.file, found);
  }
  const agents = compileAll([...files.values()], known);
  return [...files.values()]
    .map((file) => reportOf(file, agents.get(file.file) ?? []))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function readPath(path: string): Promise<DraftFile[]> {
  const root = resolve(path);
  const isFolder = (await stat(root).catch(() => undefined))?.isDirectory() ?? false;
  const found = isFolder ? await listAgentFiles(root, AGENT_FILE) : [root];
  const asWritten = (file: string) => withSlashes(isFolder ? join(path, relative(root, file)) : path);
  const read = await Promise.all(
    found.map((file) => readAgentFile(file, folderOf(file, asWritten), withSlashes(file))),
  );
  // A README in an agents folder is not a mistake. But if a person names this file, the report says that it is not an agent.
  return read.filter(
    ({ file, skipped }) => !isFolder || skipped?.code !== "NOT_AN_AGENT" || !isDocumentation(file),
  );
}

/** The agents folder that contains the file. Names and includes are relative to this folder, even if the search began elsewhere. */
function folderOf(file: string, display: AgentFolder["display"]): AgentFolder {
  const steps = withSlashes(dirname(file)).split("/");
  const at = steps.findLastIndex((step) => step === "agents" || step === "agent");
  const path = at < 0 ? dirname(file) : steps.slice(0, at + 1).join(sep);
  const isOurs = at >= 0 && !/^\.(?!cadre$)/.test(steps[at - 1] ?? "");
  return { path, scope: "project", packs: isOurs, root: path, display };
}

const withSlashes = (path: string): string => path.split(sep).join("/");

/** Compiles all drafts together, because an agent can extend another agent. If two agents have the same name, both are compiled. */
function compileAll(files: readonly DraftFile[], known: AgentEnvironment): Map<string, Agent[]> {
  const drafts = new Map<string, Draft>();
  for (const draft of files.flatMap((file) => file.drafts)) {
    drafts.set(drafts.has(draft.name) ? `${draft.name} ${draft.file}` : draft.name, draft);
  }
  return Map.groupBy(
    applyExtends(drafts).map((draft) => compileAgent(draft, known)),
    ({ file }) => file,
  );
}

function reportOf({ file, skipped }: DraftFile, agents: readonly Agent[]): FileReport {
  const [first] = agents;
  if (!first) return { file, dialect: "cadre", status: "skipped", problems: skipped ? [skipped] : [] };
  const problems = agents.flatMap((agent) => agent.problems);
  const status = hasErrors(problems) ? "skipped" : problems.length > 0 ? "warnings" : "loaded";
  return { file, name: first.name, dialect: first.dialect, status, problems };
}
