// Finds files by a pattern over their paths. What .gitignore names is left out.

import picomatch from "picomatch";
import { z } from "zod";
import { refusal, textAnswer } from "./answers.ts";
import { ripgrep } from "./ripgrep.ts";
import { defineTool } from "./tool.ts";
import { placeInWorkspace } from "./workspace-path.ts";

const MAX_SHOWN = 1_000;
const MAX_FOUND = 20_000;

export const globTool = defineTool({
  name: "Glob",
  description:
    "Finds files of the workspace by a glob pattern such as **/*.ts. Leaves out what .gitignore names.",
  input: z.strictObject({
    pattern: z.string().min(1).max(1_000).describe("A glob, relative to path"),
    path: z.string().optional().describe("The folder to search; the workspace without it"),
  }),
  effect: "read",
  aliases: ["find_files", "file_search", "glob_search"],

  async execute({ pattern, path = "." }, { workspace, signal }) {
    const place = await placeInWorkspace(workspace, path);
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${path} does not exist`);
    if (pattern.startsWith("/") || pattern.split("/").includes("..")) {
      return refusal("a pattern cannot be absolute or go up: give the folder as path");
    }
    const matches = picomatch(pattern.replace(/^\.\//, ""), { dot: true });
    const found: string[] = [];
    const end = await ripgrep({
      args: ["--files", "--hidden", "--glob=!.git", "--", "."],
      cwd: place.absolute,
      signal,
      onLine(line) {
        const file = line.replace(/^\.\//, "");
        if (matches(file)) found.push(place.relative === "." ? file : `${place.relative}/${file}`);
        return found.length < MAX_FOUND;
      },
    });
    if (!end.ok) return refusal(`could not search ${path}: ${end.why}`);
    if (found.length === 0)
      return textAnswer(`no file matches ${pattern} (files that .gitignore names are not searched)`);
    return textAnswer(listing(found, end.complete));
  },
});

function listing(found: string[], complete: boolean): string {
  const shown = found.sort().slice(0, MAX_SHOWN);
  const rest = found.length - shown.length;
  if (rest > 0) shown.push(`(${complete ? rest : `more than ${rest}`} more: narrow the pattern)`);
  return shown.join("\n");
}
