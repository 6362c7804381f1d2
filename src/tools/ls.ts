// Lists a folder: names and sizes, folders first, up to a limit.

import { lstat, opendir } from "node:fs/promises";
import { z } from "zod";
import { describeSystemError } from "../errors.ts";
import { revealHiddenInName } from "../journal/visible.ts";
import { HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { type OpenFolder, openFolder, pathIn } from "./files/open-folder.ts";
import { resolveInWorkspace } from "./files/workspace-path.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const MAX_SHOWN = 1_000;
const MAX_COUNTED = 10_000;

export const lsTool = defineTool({
  name: "LS",
  description: "Lists the files and folders in a folder of the workspace.",
  input: z.strictObject({ path: z.string().optional().describe("The folder; the workspace without it") }),
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "lists" },
  searches: true,
  aliases: ["list_directory", "list_files", "list_dir"],

  async execute({ path = "." }, context) {
    const place = await resolveInWorkspace(context.workspace, path);
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${path} does not exist`);
    try {
      await using folder = await openFolder(place.root, place.names);
      const lines = await listing(folder, place.names, context);
      if (!(await folder.isUnchanged())) return refusal(`${path} has been moved while it was listed`);
      return textAnswer(lines.join("\n") || `${path} is empty`);
    } catch (error) {
      if (context.signal.aborted) return refusal("cancelled");
      const code = (error as NodeJS.ErrnoException).code;
      return refusal(
        code === "ENOTDIR"
          ? `${path} is no folder: use Read`
          : `${path} could not be listed (${describeSystemError(error)})`,
      );
    }
  },
});

async function listing(
  folder: OpenFolder,
  names: readonly string[],
  { mayShow, signal }: ToolContext,
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
