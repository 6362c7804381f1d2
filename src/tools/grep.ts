// Searches the contents of files with a regular expression. ripgrep says where; what is shown was read here, through folders that are held.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { openFolder } from "./files/open-folder.ts";
import { ripgrep } from "./files/ripgrep.ts";
import { resolveInWorkspace, type WorkspacePath } from "./files/workspace-path.ts";
import { type FoundLine, readFoundLines } from "./found-lines.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const DEFAULT_MAX = 200;

const Input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("A regular expression"),
  path: z.string().optional().describe("The file or folder to search; the workspace without it"),
  glob: z.string().max(1_000).optional().describe("Only files whose path matches, such as *.ts"),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(50).optional().describe("Lines to show before and after each match"),
  max: z.int().min(1).max(5_000).optional().describe(`Lines to show, ${DEFAULT_MAX} without it`),
});
type Input = z.infer<typeof Input>;

export const grepTool = defineTool({
  name: "Grep",
  description:
    "Searches file contents in the workspace by a regular expression (ripgrep's syntax). Answers file:line:text. Leaves out what .gitignore names.",
  input: Input,
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "reads" },
  searches: true,
  aliases: ["search_code", "grep_search", "search_files", "search"],

  async execute(input, context) {
    const place = await resolveInWorkspace(context.workspace, input.path ?? ".");
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${input.path} does not exist`);
    if (!(await isSearchable(place))) return refusal(`${input.path} is neither a regular file nor a folder`);
    const max = input.max ?? DEFAULT_MAX;
    try {
      const found = await search(input, place, max, context);
      const lines = await readFoundLines(place.root, found.lines);
      if (lines.length === 0) lines.push("no match");
      if (found.unread) lines.push("(some files could not be read)");
      if (!found.complete) lines.push(`(more than ${max} lines: narrow the search, or raise max)`);
      if (found.kept) lines.push(HIDDEN_BY_RULES);
      return textAnswer(lines.join("\n"));
    } catch (error) {
      return refusal(`could not search for ${JSON.stringify(input.pattern)}: ${messageOf(error)}`);
    }
  },
});

/** A FIFO would be waited for until the time limit (A38). */
async function isSearchable({ root, names }: WorkspacePath): Promise<boolean> {
  const stats = await lstat(join(root, ...names)).catch(() => undefined);
  return stats !== undefined && (stats.isFile() || stats.isDirectory());
}

/** `path NUL number : text`, with `-` for a line of the context. */
const RECORD = /^(?:\.\/)?([^\0]+)\0(\d+)([:-])/;

interface Found {
  lines: FoundLine[];
  complete: boolean;
  unread: boolean;
  /** Some were found that may not be shown. */
  kept: boolean;
}

async function search(
  input: Input,
  { root, relative }: WorkspacePath,
  max: number,
  { mayShow, signal }: ToolContext,
): Promise<Found> {
  const lines: FoundLine[] = [];
  let kept = false;
  await using folder = await openFolder(root, []);
  const end = await ripgrep({
    args: [...flags(input), "--", input.pattern, relative],
    separator: "\n",
    folder,
    signal,
    onRecord(record) {
      const [, path, number, sign] = RECORD.exec(record) ?? [];
      if (path === undefined) return true;
      if (mayShow?.(path) === false) {
        kept = true;
        return true;
      }
      if (lines.length >= max) return false;
      lines.push({ path, number: Number(number), isMatch: sign === ":" });
      return true;
    },
  });
  if (!end.ok) throw new Error(end.why);
  return { lines, complete: end.complete, unread: end.unread, kept };
}

/** Of a line no more than its number is asked for. Binary files are left out: they have no lines. */
function flags(input: Input): string[] {
  return [
    "--line-number",
    "--no-heading",
    "--with-filename",
    "--null",
    "--sort=path",
    "--hidden",
    "--max-columns=1",
    "--max-filesize=20M",
    ...(input.ignore_case ? ["--ignore-case"] : []),
    ...(input.context ? [`--context=${input.context}`] : []),
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    "--glob=!.git",
  ];
}
