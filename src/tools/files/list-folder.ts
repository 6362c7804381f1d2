// Lists a folder: names and sizes, folders first, up to a limit.

import { lstat, opendir } from "node:fs/promises";
import { revealHiddenInName } from "../../journal/visible.ts";
import { HIDDEN_BY_RULES } from "../answers.ts";
import type { ToolContext } from "../tool.ts";
import { type OpenFolder, openFolder, pathIn } from "./open-folder.ts";
import type { WorkspacePath } from "./workspace-path.ts";

const MAX_SHOWN = 1_000;
const MAX_COUNTED = 10_000;

/** Lists the entries of a folder, one per line. Undefined if the folder is moved while it is read. */
export async function listFolder(
  { root, names }: WorkspacePath,
  context: Pick<ToolContext, "mayShow" | "signal">,
): Promise<string[] | undefined> {
  await using folder = await openFolder(root, names);
  const lines = await listing(folder, names, context);
  return (await folder.isUnchanged()) ? lines : undefined;
}

async function listing(
  folder: OpenFolder,
  names: readonly string[],
  { mayShow, signal }: Pick<ToolContext, "mayShow" | "signal">,
): Promise<string[]> {
  const folders: string[] = [];
  const files: string[] = [];
  let more = 0;
  let kept = 0;
  for await (const entry of await opendir(pathIn(folder, "."), { bufferSize: 1_000 })) {
    signal.throwIfAborted();
    if (folders.length + files.length >= MAX_SHOWN) {
      if (++more >= MAX_COUNTED) break;
    } else if (mayShow?.([...names, entry.name].join("/")) === false) kept++;
    else if (entry.isDirectory()) folders.push(`${revealHiddenInName(entry.name)}/`);
    else files.push(await describeEntry(folder, entry.name));
  }
  const lines = [...folders.sort(), ...files.sort()];
  if (more > 0) lines.push(`(${more >= MAX_COUNTED ? "at least " : ""}${more} more are not shown: use Glob)`);
  if (kept > 0) lines.push(HIDDEN_BY_RULES);
  return lines;
}

async function describeEntry(folder: OpenFolder, name: string): Promise<string> {
  const stats = await lstat(pathIn(folder, name)).catch(() => undefined);
  const shown = revealHiddenInName(name);
  if (!stats) return shown;
  if (stats.isSymbolicLink()) return `${shown} (link)`;
  return stats.isFile() ? `${shown} (${stats.size} bytes)` : `${shown} (special)`;
}
