// Searches the contents of files with a regular expression.

import { z } from "zod";
import { refusal, textAnswer } from "./answers.ts";
import { ripgrep } from "./ripgrep.ts";
import { defineTool } from "./tool.ts";
import { placeInWorkspace } from "./workspace-path.ts";

const DEFAULT_MAX = 200;

export const grepTool = defineTool({
  name: "Grep",
  description:
    "Searches file contents in the workspace by a regular expression (ripgrep's syntax). Answers file:line:text. Leaves out what .gitignore names.",
  input: z.strictObject({
    pattern: z.string().min(1).max(10_000).describe("A regular expression"),
    path: z.string().optional().describe("The file or folder to search; the workspace without it"),
    glob: z.string().max(1_000).optional().describe("Only files whose path matches, such as *.ts"),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(50).optional().describe("Lines to show before and after each match"),
    max: z.int().min(1).max(5_000).optional().describe(`Lines to show, ${DEFAULT_MAX} without it`),
  }),
  effect: "read",
  aliases: ["search_code", "grep_search", "search_files", "search"],

  async execute(input, { workspace, signal }) {
    const place = await placeInWorkspace(workspace, input.path ?? ".");
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(`${input.path} does not exist`);
    const root = await placeInWorkspace(workspace, ".");
    if (!root.ok) return refusal(root.why);
    const max = input.max ?? DEFAULT_MAX;
    const lines: string[] = [];
    const end = await ripgrep({
      args: [...flags(input), "--", input.pattern, place.relative],
      cwd: root.absolute,
      signal,
      onLine(line) {
        if (lines.length < max) lines.push(line.replace(/^\.\//, ""));
        else return false;
        return true;
      },
    });
    if (!end.ok) return refusal(`could not search for ${JSON.stringify(input.pattern)}: ${end.why}`);
    if (lines.length === 0) return textAnswer("no match");
    if (!end.complete) lines.push(`(more than ${max} lines: narrow the search, or raise max)`);
    return textAnswer(lines.join("\n"));
  },
});

function flags(input: {
  glob?: string | undefined;
  ignore_case?: boolean | undefined;
  context?: number | undefined;
}): string[] {
  return [
    "--line-number",
    "--no-heading",
    "--with-filename",
    "--sort=path",
    "--hidden",
    "--max-columns=500",
    "--max-columns-preview",
    "--max-filesize=20M",
    ...(input.ignore_case ? ["--ignore-case"] : []),
    ...(input.context ? [`--context=${input.context}`] : []),
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    "--glob=!.git",
  ];
}
