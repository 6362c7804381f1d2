// Suggests existing paths to a model that has named a file that does not exist.

import { nearestWord } from "../../config/problem.ts";
import type { ToolContext } from "../tool.ts";
import { openFolder } from "./open-folder.ts";
import { ripgrep } from "./ripgrep.ts";
import type { WorkspacePath } from "./workspace-path.ts";

const MAX_FOUND = 3;
const MAX_LOOKED_AT = 20_000;

/** Says that a file does not exist, and which existing file the model might have meant. */
export async function describeMissing(
  path: string,
  place: WorkspacePath,
  context: Pick<ToolContext, "mayShow" | "signal">,
): Promise<string> {
  const near = await nearestPaths(place, context);
  const hint = near.length === 0 ? "use Glob to find it" : `did you mean ${near.join(" or ")}?`;
  return `${path} does not exist: ${hint}`;
}

/** Up to three existing files: those with the same name in another folder, or else the one with the most similar path. */
async function nearestPaths(
  { root, relative, names }: WorkspacePath,
  { mayShow, signal }: Pick<ToolContext, "mayShow" | "signal">,
): Promise<string[]> {
  const name = names.at(-1)!.toLowerCase();
  const sameName: string[] = [];
  const others: string[] = [];
  await using folder = await openFolder(root, []);
  await ripgrep({
    args: ["--files", "--null", "--hidden", "--glob=!.git"],
    separator: "\0",
    folder,
    signal,
    onRecord(record) {
      const path = record.replace(/^\.\//, "");
      if (mayShow?.(path) === false) return true;
      if (path.split("/").at(-1)!.toLowerCase() === name) sameName.push(path);
      else others.push(path);
      return sameName.length < MAX_FOUND && others.length < MAX_LOOKED_AT;
    },
  });
  if (sameName.length > 0) return sameName.sort();
  const near = nearestWord(relative, others);
  return near === undefined ? [] : [near];
}
