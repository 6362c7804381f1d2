// Writes a whole file, in one step. Writing the same content again is the same effect.

import { z } from "zod";
import { refusal } from "./answers.ts";
import { diffPreview } from "./diff-preview.ts";
import { markProblem } from "./marks.ts";
import { fingerprintOf, readTextFile, replaceFile, writeFailure } from "./text-file.ts";
import { defineTool, type ToolAnswer } from "./tool.ts";
import { placeInWorkspace } from "./workspace-path.ts";

export const writeTool = defineTool({
  name: "Write",
  description:
    "Writes a file of the workspace, replacing what it holds. Creates folders as needed. To change a part, use Edit.",
  input: z.strictObject({
    path: z.string().min(1).describe("The file, relative to the workspace"),
    content: z.string().describe("The whole new content"),
  }),
  effect: "idempotent",
  patches: true,
  aliases: ["write_file", "create_file", "write_to_file"],

  async execute({ path, content }, { workspace, key, attempt, signal }): Promise<ToolAnswer> {
    const place = await placeInWorkspace(workspace, path);
    if (!place.ok) return refusal(`${place.why}; nothing was written`);
    if (signal.aborted) return refusal("cancelled before it began; nothing was written");
    const before = await currentContent(place.absolute, place.exists);
    if ("refused" in before) return refusal(`${path} ${before.refused}; nothing was written`);
    const marked = markProblem(content, before.text ?? "");
    if (marked !== undefined) return refusal(`${marked}; nothing was written`);
    if (before.text === content) {
      // A later attempt may be looking at its own work: then it was this call that changed the file.
      const files = attempt > 1 ? [{ path: place.relative, change: "modified" as const }] : [];
      return { output: `${place.relative} already has exactly this content`, files };
    }
    try {
      await replaceFile(place.absolute, content, {
        key,
        ...(before.mode === undefined ? {} : { mode: before.mode }),
      });
    } catch (error) {
      return refusal(`${path} ${writeFailure(error)}`);
    }
    const change = place.exists ? "modified" : "created";
    return {
      output: `${change} ${place.relative} (${lineCount(content)} lines)`,
      files: [{ path: place.relative, change }],
    };
  },

  async preview({ path, content }, { workspace }) {
    const place = await placeInWorkspace(workspace, path);
    if (!place.ok) return { text: `Will be refused: ${place.why}` };
    const before = await readTextFile(place.absolute);
    return {
      text: diffPreview(place.relative, before.ok ? before.text : "", content),
      fingerprint: await fingerprintOf(place.absolute),
    };
  },
});

type Current = { text: string | undefined; mode: number | undefined } | { refused: string };

/** Binary and over-long files may be replaced; folders, devices and what may not be read may not. */
async function currentContent(path: string, exists: boolean): Promise<Current> {
  if (!exists) return { text: undefined, mode: undefined };
  const file = await readTextFile(path);
  if (file.ok) return { text: file.text, mode: file.mode };
  return file.mode === undefined ? { refused: file.why } : { text: undefined, mode: file.mode };
}

const lineCount = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
