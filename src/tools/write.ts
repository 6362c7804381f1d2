// Writes a whole file in one step. Writing the same content again changes nothing.

import { z } from "zod";
import { plural } from "../projections/words/format.ts";
import { lineCount } from "./answers.ts";
import {
  type ChangePlan,
  changeFile,
  fingerprintsOf,
  hasByteOrderMark,
  lineEndingsOf,
  previewChange,
} from "./files/change-file.ts";
import { defineTool } from "./tool.ts";

export const writeTool = defineTool({
  name: "Write",
  description:
    "Writes a file of the workspace, replacing what it holds. Creates folders as needed. To change a part, use Edit.",
  input: z.strictObject({
    path: z.string().min(1).describe("The file, relative to the workspace"),
    content: z.string().describe("The whole new content"),
  }),
  effect: "idempotent",
  reaches: ["files"],
  target: { kind: "path", field: "path", use: "changes", blind: true },
  aliases: ["write_file", "create_file", "write_to_file"],

  execute: ({ path, content }, context) => changeFile(path, wholeFilePlan(content), context),
  preview: ({ path, content }, { workspace }) => previewChange(path, wholeFilePlan(content), workspace),
  fingerprints: ({ path, content }, { workspace }) => fingerprintsOf(path, wholeFilePlan(content), workspace),
});

function wholeFilePlan(content: string): ChangePlan {
  return (before = "") => {
    const mark = hasByteOrderMark(before) && !hasByteOrderMark(content) ? "\ufeff" : "";
    return { text: mark + lineEndingsOf(before)(content), said: plural(lineCount(content), "line") };
  };
}
