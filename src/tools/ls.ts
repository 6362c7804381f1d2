// Lists a folder of the workspace.

import { z } from "zod";
import { describeSystemError } from "../errors.ts";
import { refusal, textAnswer } from "./answers.ts";
import { listFolder } from "./files/list-folder.ts";
import { resolveInWorkspace } from "./files/workspace-path.ts";
import { defineTool } from "./tool.ts";

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
    if (!place.exists)
      return refusal(`${path} does not exist: use LS on the folder above it, or Glob to find it`);
    try {
      const lines = await listFolder(place, context);
      if (!lines) return refusal(`${path} has been moved while it was listed`);
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
