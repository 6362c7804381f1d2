// Loads the module that controls an agent: a file with `export default function*`, next to the agent's own file.
// Loading an agent reads only the text of its module.
// Cadre runs the module in its own process when a run needs it, and only if the project is trusted to run code.

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../errors.ts";
import type { Definition } from "../journal/definition.ts";
import { type AgentFolders, foldersToSearch } from "./files/folders.ts";
import { readConfined } from "./files/read-confined.ts";
import type { LoadedSteps, StepsMain } from "./loaded-steps.ts";
import { NoGenerator, startSteps } from "./steps/steps-host.ts";

export interface StepsSource {
  folders: AgentFolders;
  /** Whether the project is allowed to run its own code. */
  trusted: boolean;
  /** Puts the command of a module's process into the project's sandbox, where there is one. */
  confine(argv: readonly string[], root: string): Promise<readonly string[]>;
}

export async function loadSteps(
  { module }: NonNullable<Definition["steps"]>,
  { folders, trusted, confine }: StepsSource,
): Promise<LoadedSteps> {
  const inCode = folders.inCode?.find(({ name }) => module === `code:${name}`)?.steps;
  if (inCode) return checkMain(inCode, stepsHash(inCode.toString()), module);
  const { path, root, scope } = moduleLocation(module, folders);
  if (root === undefined) return { problem: `The module ${module} is outside the agents folders.` };
  if (scope === "project" && !trusted)
    return { problem: `The module ${module} is not run: this folder is not trusted (\`cadre trust\`).` };
  const read = await readConfined({ name: path, folder: root, root, within: "the agents folder" });
  if ("problem" in read) return { problem: `The module ${module} ${read.problem}.` };
  const hash = stepsHash(read.text);
  try {
    const project = scope === "project" ? await realpath(folders.project) : await realpath(root);
    const files = await importedFiles(read.path, read.text, project);
    const main = await startSteps({
      key: `${read.path}?${hash}`,
      url: pathToFileURL(read.path).href,
      reads: [...files, ...packageFolders(read.path, project)],
      confine: (argv) => confine(argv, project),
    });
    return { main, hash };
  } catch (error) {
    if (error instanceof NoGenerator)
      return { problem: `The module ${module} cannot be used: its default export is not a \`function*\`.` };
    return { problem: `The module ${module} cannot be loaded: ${firstLine(error)}.` };
  }
}

function checkMain(main: unknown, hash: string, module: string): LoadedSteps {
  if (Object.prototype.toString.call(main) === "[object GeneratorFunction]")
    return { main: main as StepsMain, hash };
  return { problem: `The module ${module} cannot be used: its default export is not a \`function*\`.` };
}

/** Hash of the text with normalised line ends. */
export const stepsHash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Finds a problem in a module without running it. */
export function stepsProblem(text: string): string | undefined {
  try {
    withoutWarnings(() => stripTypeScriptTypes(text));
  } catch (error) {
    const line = /^[^\n]*:(\d+)\n/.exec((error as Error).stack ?? "")?.[1];
    return `cannot be read${line === undefined ? "" : ` (line ${line})`}: ${firstLine(error)}`;
  }
  return /\bexport\s+default\b|\bas\s+default\b/.test(text)
    ? undefined
    : "has no default export: `export default function* …`";
}

/** Suppresses Node's warning that type stripping is experimental. People would think that the warning comes from Cadre. */
function withoutWarnings(work: () => void): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Finds the file of a pinned module, such as `agents/fix.steps.ts` or `~/.cadre/agents/fix.steps.ts`. */
function moduleLocation(module: string, folders: AgentFolders) {
  const [, prefix = "", rest = module] = /^(~\/|builtin:)?(.*)$/s.exec(module) ?? [];
  const scope = prefix === "" ? "project" : prefix === "~/" ? "user" : "builtin";
  const base = { project: folders.project, user: folders.user ?? "", builtin: folders.builtin }[scope];
  const path = resolve(base, rest);
  const folder = foldersToSearch(folders).find(
    (searched) => searched.scope === scope && path.startsWith(searched.path + sep),
  );
  // Roles in cadre.yaml have no agents folder, so their modules can be anywhere in the project. A user's module must be in an agents folder.
  return { path, scope, root: folder?.path ?? (scope === "project" ? resolve(base) : undefined) };
}

/** The module and the project's files that it imports by relative names. Besides packages, its process may read only these. */
async function importedFiles(path: string, text: string, root: string): Promise<string[]> {
  const found = new Set([path]);
  const open = [{ path, text }];
  for (let at = open.shift(); at !== undefined && found.size < MOST_FILES; at = open.shift()) {
    for (const [, name = ""] of at.text.matchAll(RELATIVE_IMPORT)) {
      const read = await readConfined({ name, folder: dirname(at.path), root, within: "the project" });
      // Only code and JSON: a module must not read other files, such as `.env`, by importing them.
      if ("problem" in read || found.has(read.path) || !/\.(?:[cm]?[jt]s|json)$/.test(read.path)) continue;
      found.add(read.path);
      open.push(read);
    }
  }
  return [...found];
}

const MOST_FILES = 1_000;
const RELATIVE_IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** The folders in which Node looks for packages, and the files that tell Node the type of a module. */
function packageFolders(path: string, root: string): string[] {
  const found: string[] = [];
  for (let at = dirname(path); at.startsWith(root); at = dirname(at)) {
    found.push(join(at, "node_modules", "*"), join(at, "package.json"));
    if (at === root || dirname(at) === at) break;
  }
  return found;
}

const firstLine = (error: unknown): string => messageOf(error).split("\n")[0]!.replace(/\.$/, "");
