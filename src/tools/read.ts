// Reads a part of a text file, with line numbers. Images and PDFs are attached to the answer.

import { z } from "zod";
import { describeFile, detectMediaType, sizeProblem } from "../journal/attachment.ts";
import { clipLine, refusal, textAnswer } from "./answers.ts";
import { readTextFile } from "./files/text-file.ts";
import { resolveInWorkspace } from "./files/workspace-path.ts";
import { defineTool, type ToolAnswer } from "./tool.ts";

const DEFAULT_LINES = 2_000;
const MAX_LINE = 2_000;

export const readTool = defineTool({
  name: "Read",
  description:
    "Reads a text file of the workspace, or shows an image or PDF. Lines come numbered, 2000 at most; use offset (first line, from 1) and limit for others.",
  input: z.strictObject({
    path: z.string().min(1).describe("The file, relative to the workspace"),
    offset: z.int().min(1).max(1e9).optional().describe("First line to show, from 1"),
    limit: z.int().min(1).max(100_000).optional().describe("How many lines to show"),
  }),
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "reads" },
  aliases: ["read_file", "view", "view_file", "open_file"],

  async execute({ path, offset = 1, limit = DEFAULT_LINES }, { workspace }) {
    const place = await resolveInWorkspace(workspace, path);
    if (!place.ok) return refusal(place.why);
    const file = await readTextFile(place);
    if (file.media) return mediaAnswer(path, place.relative, { ...file, media: file.media });
    if (!file.ok) return refusal(`${path} ${file.why}`);
    const seen = { path: place.relative, fingerprint: file.fingerprint };
    if (file.text === "") return { output: `${path} is empty`, seen };
    return { ...textAnswer(numberedLines(file.text, offset, limit)), seen };
  },
});

function mediaAnswer(
  name: string,
  path: string,
  { media, fingerprint }: { media: Buffer; fingerprint: string },
): ToolAnswer {
  const mediaType = detectMediaType(media)!;
  const problem = sizeProblem(mediaType, media.length);
  if (problem !== undefined) return refusal(`${name} ${problem}`);
  return {
    output: describeFile({ name, mediaType, bytes: media.length }),
    attachments: [{ name, bytes: media }],
    seen: { path, fingerprint },
  };
}

function numberedLines(text: string, offset: number, limit: number): string {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > lines.length) return `(there are only ${lines.length} lines)`;
  const shown = lines
    .slice(offset - 1, offset - 1 + limit)
    .map((line, index) => `${offset + index}\t${clipLine(line, MAX_LINE)}`);
  const rest = lines.length - (offset - 1 + shown.length);
  if (rest > 0) shown.push(`(${rest} more lines: go on with offset ${offset + limit})`);
  return shown.join("\n");
}
