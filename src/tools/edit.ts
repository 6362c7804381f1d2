// Replaces pieces of text in a file. Several replacements are made together or not at all.

import { z } from "zod";
import {
  type ChangePlan,
  changeFile,
  fingerprintsOf,
  lineEndingsOf,
  previewChange,
} from "./files/change-file.ts";
import { type ChangedLines, replaceText } from "./files/replace-text.ts";
import { defineTool } from "./tool.ts";

const Replacement = z.strictObject({
  old_string: z.string().describe("The text to replace, as it is in the file, without line numbers"),
  new_string: z.string().describe("The text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace every occurrence"),
});

const Input = z.strictObject({
  path: z.string().min(1).describe("The file, relative to the workspace"),
  ...Replacement.partial().shape,
  edits: z
    .array(Replacement)
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Several replacements in this file, made in order, all or none; instead of old_string and new_string",
    ),
});
type Input = z.infer<typeof Input>;

export const editTool = defineTool({
  name: "Edit",
  description:
    "Replaces text in a file of the workspace. old_string must occur once: add lines around it, or set replace_all. Use edits for several changes in one file.",
  input: Input,
  effect: "idempotent",
  reaches: ["files"],
  target: { kind: "path", field: "path", use: "changes" },
  aliases: ["edit_file", "str_replace", "replace_in_file", "multi_edit", "MultiEdit"],

  execute: (input, context) => changeFile(input.path, replacePlan(input), context),
  preview: (input, { workspace }) => previewChange(input.path, replacePlan(input), workspace),
  fingerprints: (input, { workspace }) => fingerprintsOf(input.path, replacePlan(input), workspace),
});

function replacePlan(input: Input): ChangePlan {
  return (before, mask = (text) => text) => {
    if (before === undefined)
      return { refused: "does not exist: use Glob to find the file that you mean, or Write to create it" };
    const wanted = replacementsOf(input);
    if (typeof wanted === "string") return { refused: wanted };
    const adapt = lineEndingsOf(before);
    let text = before;
    let count = 0;
    const notes: string[] = [];
    const changed: ChangedLines[] = [];
    for (const [index, edit] of wanted.entries()) {
      const [old_string, new_string] = [adapt(edit.old_string), adapt(edit.new_string)];
      const replaced = replaceText(text, { ...edit, old_string, new_string }, mask);
      if (!replaced.ok && wanted.length === 1) return { refused: replaced.why };
      if (!replaced.ok) {
        // Similar lines are searched in the file on disk, because no edit of this call was written.
        const own = replaceText(before, { ...edit, old_string, new_string }, mask);
        const why = own.ok ? "no longer holds old_string after the edits before it" : own.why;
        return { refused: `was left as it is, because of edit ${index + 1} of ${wanted.length}: it ${why}` };
      }
      text = replaced.text;
      count += replaced.count;
      changed.push(replaced.changed);
      if (replaced.tolerance) notes.push(`matched ${replaced.tolerance}`);
    }
    const said = [`${count} ${count === 1 ? "place" : "places"}`, ...new Set(notes)].join("; ");
    return { text, said, shown: changedText(mask(text), changed) };
  };
}

/** Returns the replacements that a call asks for, or says what is missing in the call. */
function replacementsOf({ old_string, new_string, replace_all, edits }: Input) {
  if (edits !== undefined && old_string === undefined) return edits;
  if (old_string === undefined || new_string === undefined)
    return "needs old_string and new_string, or edits with both";
  return [{ old_string, new_string, replace_all }, ...(edits ?? [])];
}

const MAX_LINES = 40;

/** The changed lines with two lines around them, so that the model sees the result. */
function changedText(text: string, changed: readonly ChangedLines[]): string {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  const wanted = new Set<number>();
  for (const { first, last } of changed)
    for (let line = Math.max(1, first - 2); line <= Math.min(lines.length, last + 2); line++)
      wanted.add(line);
  const numbers = [...wanted].sort((a, b) => a - b);
  const shown = numbers
    .slice(0, MAX_LINES)
    .map((line) => `${line}\t${lines[line - 1]!.replace(/\r$/, "").slice(0, 300)}`);
  return shown.join("\n") + (numbers.length > MAX_LINES ? "\n…" : "");
}
