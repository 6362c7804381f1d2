// Lists a folder: names and sizes, folders first. Bounded, however many there are.

import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { refusal, textAnswer } from "./answers.ts";
import { defineTool } from "./tool.ts";
import { placeInWorkspace } from "./workspace-path.ts";

const MAX_ENTRIES = 1_000;

export const lsTool = defineTool({
  name: "LS",
  description: "Lists the files and folders in a folder of the workspace.",
  input: z.strictObject({ path: z.string().optional().describe("The folder; the workspace without it") }),
  effect: "read",
  aliases: ["list_directory", "list_files", "list_dir"],

  async execute({ path = "." }, { workspace, signal }) {
    const place = await placeInWorkspace(workspace, path);
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${path} does not exist`);
    const folders: string[] = [];
    const files: string[] = [];
    let more = 0;
    try {
      for await (const entry of await opendir(place.absolute)) {
        if (signal.aborted) return refusal("cancelled");
        if (folders.length + files.length >= MAX_ENTRIES) more++;
        else if (entry.isDirectory()) folders.push(`${entry.name}/`);
        else files.push(await describe(place.absolute, entry.name));
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      return refusal(
        code === "ENOTDIR"
          ? `${path} is a file: use Read`
          : `${path} could not be listed (${messageOf(error)})`,
      );
    }
    const lines = [...folders.sort(), ...files.sort()];
    if (more > 0) lines.push(`(${more} more are not shown)`);
    return textAnswer(lines.join("\n") || `${path} is empty`);
  },
});

async function describe(folder: string, name: string): Promise<string> {
  const stats = await lstat(join(folder, name)).catch(() => undefined);
  if (!stats) return name;
  if (stats.isSymbolicLink()) return `${name} (link)`;
  return stats.isFile() ? `${name} (${stats.size} bytes)` : `${name} (special)`;
}
