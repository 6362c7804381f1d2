// Finds files by a glob pattern. Files in .gitignore are left out.

import { lstat } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { compileGlob } from "../glob-pattern.ts";
import { revealHiddenInName } from "../journal/visible.ts";
import { HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { openFolder, pathIn } from "./files/open-folder.ts";
import { ripgrep } from "./files/ripgrep.ts";
import { resolveInWorkspace, type WorkspacePath } from "./files/workspace-path.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const MAX_SHOWN = 1_000;
const MAX_FOUND = 20_000;

export const globTool = defineTool({
  name: "Glob",
  description:
    "Finds files of the workspace by a glob pattern such as **/*.ts or src/*.{js,ts}. Leaves out what .gitignore names.",
  input: z.strictObject({
    pattern: z.string().min(1).max(300).describe("A glob, relative to path"),
    path: z.string().optional().describe("The folder to search; the workspace without it"),
  }),
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "lists" },
  searches: true,
  aliases: ["find_files", "file_search", "glob_search"],

  async execute({ pattern, path = "." }, context) {
    const place = await resolveInWorkspace(context.workspace, path);
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${path} does not exist: use LS to see the folders`);
    if (pattern.startsWith("/") || pattern.split("/").includes("..")) {
      return refusal("a pattern cannot be absolute or go up: give the folder as path");
    }
    const glob = compileGlob(pattern);
    if (!glob.ok) return refusal(`the pattern ${pattern} cannot be used: ${glob.why}`);
    try {
      const found = await find(place, glob.matches, context);
      if (found.paths.length > 0) return textAnswer(await listing(place.root, found));
      const none = `no file matches ${pattern} (files that .gitignore names are not searched)`;
      return textAnswer(found.kept ? `${none}\n${HIDDEN_BY_RULES}` : none);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      return refusal(
        `could not search ${path}: ${code === "ENOTDIR" ? "it is no folder" : messageOf(error)}`,
      );
    }
  },
});

interface Found {
  paths: string[];
  complete: boolean;
  /** Whether a rule hides some matches. */
  kept: boolean;
}

async function find(
  { root, names }: WorkspacePath,
  matches: (path: string) => boolean,
  { mayShow, signal }: ToolContext,
): Promise<Found> {
  const paths: string[] = [];
  let kept = false;
  await using folder = await openFolder(root, names);
  const end = await ripgrep({
    args: ["--files", "--hidden", "--glob=!.git", "--null", "--", "."],
    separator: "\0",
    folder,
    signal,
    onRecord(record) {
      const path = record.replace(/^\.\//, "");
      const whole = [...names, path].join("/");
      if (!matches(path)) return true;
      if (mayShow?.(whole) === false) kept = true;
      else paths.push(whole);
      return paths.length < MAX_FOUND;
    },
  });
  if (!end.ok) throw new Error(end.why);
  return { paths: paths.sort(), complete: end.complete, kept };
}

async function listing(root: string, { paths, complete, kept }: Found): Promise<string> {
  const candidates = paths.slice(0, MAX_SHOWN);
  const shown = (await filesAmong(root, candidates)).map(revealHiddenInName);
  const rest = paths.length - candidates.length;
  if (shown.length === 0) shown.push("what was found is gone again: search once more");
  if (rest > 0) shown.push(`(${complete ? rest : `more than ${rest}`} more: narrow the pattern)`);
  if (kept) shown.push(HIDDEN_BY_RULES);
  return shown.join("\n");
}

/** Keeps only regular files, and drops paths that the search reached through a link. */
async function filesAmong(root: string, paths: readonly string[]): Promise<string[]> {
  const byFolder = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf("/") + 1));
  const files: string[] = [];
  for (const [parent, inside] of byFolder) {
    try {
      await using folder = await openFolder(root, parent.split("/").filter(Boolean));
      const isFile = (path: string) =>
        lstat(pathIn(folder, path.slice(parent.length))).then(
          (stats) => stats.isFile(),
          () => false,
        );
      const there = await Promise.all(inside.map(isFile));
      files.push(...inside.filter((_, index) => there[index]));
    } catch {
      // The folder was removed or replaced by a link, so none of its files is shown.
    }
  }
  return files.sort();
}
