// Loads the module that controls an agent: a file with `export default function*`, next to the agent's own file.
// When an agent is loaded, only the text of its module is read.
// The module is imported when a run needs it, and only if the project is trusted to run code.

import { createHash } from "node:crypto";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { extname, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../errors.ts";
import type { Definition } from "../journal/definition.ts";
import { type AgentFolders, foldersToSearch } from "./files/folders.ts";
import { readConfined } from "./files/read-confined.ts";
import type { LoadedSteps, StepsMain } from "./loaded-steps.ts";

export interface StepsSource {
  folders: AgentFolders;
  /** Whether the project is allowed to run its own code. */
  trusted: boolean;
}

export async function loadSteps(
  { module }: NonNullable<Definition["steps"]>,
  { folders, trusted }: StepsSource,
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
    return checkMain(await importMain(read.path, hash), hash, module);
  } catch (error) {
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

const MARK = "?cadre-steps=";
let hooked = false;

/** A module with the same content is imported only once. A changed file is imported as a new module. */
async function importMain(path: string, hash: string): Promise<unknown> {
  if (!hooked) registerHooks({ resolve: findCadre });
  hooked = true;
  const module = (await import(`${pathToFileURL(path).href}${MARK}${hash}`)) as { default?: unknown };
  return module.default;
}

/** In a steps module, `import … from "cadre"` always resolves to the running Cadre, even if the project has not installed Cadre. */
const findCadre: Parameters<typeof registerHooks>[0]["resolve"] = (name, context, next) =>
  name === "cadre" && context.parentURL?.includes(MARK)
    ? { url: new URL(`../index${extname(import.meta.url)}`, import.meta.url).href, shortCircuit: true }
    : next(name, context);

const firstLine = (error: unknown): string => messageOf(error).split("\n")[0]!.replace(/\.$/, "");
