// Replaces an exact piece of text in a file. The text must occur exactly once, unless `replace_all` is set.

import { z } from "zod";
import {
  type ChangePlan,
  changeFile,
  fingerprintsOf,
  lineEndingsOf,
  previewChange,
} from "./files/change-file.ts";
import { MAX_FILE_BYTES } from "./files/text-file.ts";
import { defineTool } from "./tool.ts";

const Input = z.strictObject({
  path: z.string().min(1).describe("The file, relative to the workspace"),
  old_string: z.string().min(1).describe("The text to replace, exactly as it stands in the file"),
  new_string: z.string().describe("The text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace every occurrence"),
});
type Input = z.infer<typeof Input>;

export const editTool = defineTool({
  name: "Edit",
  description:
    "Replaces a piece of text in a file of the workspace. old_string must match exactly and be unique: add lines around it, or set replace_all.",
  input: Input,
  effect: "idempotent",
  reaches: ["files"],
  target: { kind: "path", field: "path", use: "changes" },
  aliases: ["edit_file", "str_replace", "replace_in_file"],

  execute: (input, context) => changeFile(input.path, replacePlan(input), context),
  preview: (input, { workspace }) => previewChange(input.path, replacePlan(input), workspace),
  fingerprints: (input, { workspace }) => fingerprintsOf(input.path, replacePlan(input), workspace),
});

function replacePlan(input: Input): ChangePlan {
  return (before) => {
    if (before === undefined) return { refused: "does not exist: use Write to create it" };
    const adapt = lineEndingsOf(before);
    const [from, to] = [adapt(input.old_string), adapt(input.new_string)];
    if (from === to) return { refused: "would stay as it is: old_string and new_string are the same" };
    const count = occurrences(before, from);
    if (count === 0) return { refused: `does not hold old_string: ${whyAbsent(before, from)}` };
    if (count > 1 && !input.replace_all)
      return { refused: `holds old_string ${count} times: add lines around it, or set replace_all` };
    // The size is checked before the new text is built, because many long replacements might not fit into memory.
    if (before.length + count * (to.length - from.length) > MAX_FILE_BYTES)
      return { refused: "would be longer than the 10 MB that can be read again" };
    const said = `${count} ${count === 1 ? "place" : "places"}`;
    return { text: before.replaceAll(from, () => to), said };
  };
}

function occurrences(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) count++;
  return count;
}

function whyAbsent(text: string, piece: string): string {
  const mixed = piece.includes("\n") && text.includes("\r\n");
  return mixed
    ? "the file mixes CR LF and LF, so take a piece within one line"
    : "read the file again and copy it exactly, without line numbers";
}
