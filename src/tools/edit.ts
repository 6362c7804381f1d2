// Replaces an exact piece of text in a file. The piece must be there, and be the only one unless all are meant.
// A second attempt after a crash must not apply the edit twice: where every place of the old text lies inside the new one,
// the first attempt has been there.

import { z } from "zod";
import { refusal } from "./answers.ts";
import { diffPreview } from "./diff-preview.ts";
import { markProblem } from "./marks.ts";
import { fingerprintOf, readTextFile, replaceFile, writeFailure } from "./text-file.ts";
import { defineTool, type ToolAnswer } from "./tool.ts";
import { placeInWorkspace } from "./workspace-path.ts";

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
  patches: true,
  aliases: ["edit_file", "str_replace", "replace_in_file"],

  async execute(input, { workspace, key, attempt, signal }): Promise<ToolAnswer> {
    const place = await placeInWorkspace(workspace, input.path);
    if (!place.ok) return refusal(`${place.why}; nothing was changed`);
    if (signal.aborted) return refusal("cancelled before it began; nothing was changed");
    const file = await readTextFile(place.absolute);
    if (!file.ok) return refusal(`${input.path} ${file.why}; nothing was changed`);
    const files = [{ path: place.relative, change: "modified" as const }];
    if (attempt > 1 && isApplied(file.text, input)) {
      return {
        output: `${place.relative} already reads as this edit leaves it: an earlier attempt had applied it`,
        files,
      };
    }
    const edit = applyEdit(file.text, input);
    if (!edit.ok) return refusal(`${edit.why}; ${input.path} was not changed`);
    const marked = markProblem(edit.text, file.text);
    if (marked !== undefined) return refusal(`${marked}; ${input.path} was not changed`);
    try {
      await replaceFile(place.absolute, edit.text, { key, mode: file.mode });
    } catch (error) {
      return refusal(`${input.path} ${writeFailure(error)}`);
    }
    return {
      output: `modified ${place.relative} (${edit.count} ${edit.count === 1 ? "place" : "places"})`,
      files,
    };
  },

  async preview(input, { workspace }) {
    const place = await placeInWorkspace(workspace, input.path);
    if (!place.ok) return { text: `Will be refused: ${place.why}` };
    const file = await readTextFile(place.absolute);
    const fingerprint = await fingerprintOf(place.absolute);
    if (!file.ok) return { text: `Will be refused: ${input.path} ${file.why}`, fingerprint };
    const edit = applyEdit(file.text, input);
    const text = edit.ok ? diffPreview(place.relative, file.text, edit.text) : `Will be refused: ${edit.why}`;
    return { text, fingerprint };
  },
});

type Edited = { ok: true; text: string; count: number } | { ok: false; why: string };

function applyEdit(text: string, input: Input): Edited {
  const { from, to } = withLineEndsOf(text, input);
  if (from === to) return { ok: false, why: "old_string and new_string are the same" };
  const pieces = text.split(from);
  const count = pieces.length - 1;
  if (count === 0)
    return { ok: false, why: "old_string does not occur: read the file again and copy it exactly" };
  if (count > 1 && !input.replace_all)
    return { ok: false, why: `old_string occurs ${count} times: add lines around it, or set replace_all` };
  return { ok: true, text: pieces.join(to), count };
}

function isApplied(text: string, input: Input): boolean {
  const { from, to } = withLineEndsOf(text, input);
  if (to === "") return !text.includes(from);
  const pieces = text.split(to);
  return pieces.length > 1 && pieces.every((piece) => !piece.includes(from));
}

/** Models write LF: in a file that has CR LF throughout, so does the edit. */
function withLineEndsOf(text: string, input: Input): { from: string; to: string } {
  const crlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const adapt = (piece: string) => (crlf ? piece.replace(/\r?\n/g, "\r\n") : piece);
  return { from: adapt(input.old_string), to: adapt(input.new_string) };
}
