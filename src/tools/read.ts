// Reads a part of a text file, with line numbers. A folder is listed, a notebook is shown as its cells.
// Images and PDFs are attached to the answer.

import { z } from "zod";
import {
  describeFile,
  detectMediaType,
  isImage,
  type MediaType,
  sizeProblem,
} from "../journal/attachment.ts";
import { CONTEXT_BYTES, clipLine, refusal, textAnswer } from "./answers.ts";
import { listFolder } from "./files/list-folder.ts";
import { describeMissing } from "./files/nearest-paths.ts";
import { notebookText } from "./files/notebook.ts";
import { countPages } from "./files/pdf-pages.ts";
import { readLines } from "./files/read-lines.ts";
import { showSavedOutput } from "./files/saved-output.ts";
import { FEWER_PAGES, type FileText, readTextFile, SMALLER_IMAGE } from "./files/text-file.ts";
import { resolveInWorkspace, type WorkspacePath } from "./files/workspace-path.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

const MAX_LINES = 2_000;
const MAX_LINE = 2_000;
const MAX_PAGES = 100;

const Input = z.strictObject({
  path: z.string().min(1).describe("The file, relative to the workspace"),
  offset: z.int().min(0).max(1e9).optional().describe("First line to show, from 1"),
  limit: z.int().min(1).max(100_000).optional().describe("How many lines to show"),
  column: z
    .int()
    .min(1)
    .max(1e9)
    .optional()
    .describe("First character to show of each line, for very long lines"),
});

interface Part {
  offset: number;
  limit: number;
  column: number;
}

export const readTool = defineTool({
  name: "Read",
  description:
    "Reads a file of the workspace: text with line numbers, an image or PDF, a notebook as its cells, a folder as a list. Shows up to 2000 lines or 30 kB at once and says how to read on. Read several files in one turn if you need them all.",
  input: Input,
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "reads" },
  searches: true,
  aliases: ["read_file", "view", "view_file", "open_file"],

  async execute({ path, offset = 1, limit = MAX_LINES, column = 1 }, context) {
    const part = { offset: Math.max(1, offset), limit, column };
    const saved = await showSavedOutput(path, context, (text) => ({ output: numberedLines(text, part) }));
    if (saved) return saved;
    const place = await resolveInWorkspace(context.workspace, path);
    if (!place.ok) return refusal(place.why);
    const file = await readTextFile(place);
    if (file.media) return mediaAnswer(path, place.relative, { ...file, media: file.media });
    if (!file.ok)
      return (await largeFile(place, file, part, context)) ?? unreadable(path, place, file, context);
    const seen = { path: place.relative, fingerprint: file.fingerprint };
    if (file.text === "") return { output: `${path} is empty`, seen };
    const text = /\.ipynb$/i.test(path) ? (notebookText(file.text) ?? file.text) : file.text;
    return { output: numberedLines(context.mask?.(text) ?? text, part), seen };
  },
});

function mediaAnswer(
  name: string,
  path: string,
  { media, fingerprint }: { media: Buffer; fingerprint: string },
): ToolAnswer {
  const mediaType = detectMediaType(media)!;
  const problem = sizeProblem(mediaType, media);
  if (problem !== undefined)
    return refusal(`${name} ${problem}: ${isImage({ mediaType }) ? SMALLER_IMAGE : FEWER_PAGES}`);
  if (isCutOff(mediaType, media))
    return refusal(`${name} is an image whose end is missing, so no model can read it: make it again`);
  const pages = isImage({ mediaType }) ? 0 : countPages(media);
  if (pages > MAX_PAGES)
    return refusal(`${name} has ${pages} pages, and ${MAX_PAGES} can be read at once: ${FEWER_PAGES}`);
  return {
    output: describeFile({ name, mediaType, bytes: media.length }),
    attachments: [{ name, bytes: media }],
    seen: { path, fingerprint },
  };
}

/** Whether the end of the image is missing. A provider would refuse such an image, and with it the whole conversation. */
function isCutOff(mediaType: MediaType, media: Buffer): boolean {
  const end = { "image/png": Buffer.from("IEND"), "image/jpeg": Buffer.from([0xff, 0xd9]) }[
    mediaType as string
  ];
  return end !== undefined && !media.includes(end);
}

/** Shows lines of a text file that is too large to edit. Undefined if there are none to show. */
async function largeFile(
  place: WorkspacePath,
  { isTooLong }: Extract<FileText, { ok: false }>,
  part: Part,
  { signal }: ToolContext,
): Promise<ToolAnswer | undefined> {
  const found = isTooLong ? await readLines(place, part, signal) : undefined;
  return found && { output: numbered(found.lines, found.total, part) };
}

async function unreadable(
  path: string,
  place: WorkspacePath,
  { why, missing, isFolder }: Extract<FileText, { ok: false }>,
  context: ToolContext,
): Promise<ToolAnswer> {
  if (isFolder) {
    const listed = await listFolder(place, context).catch(() => undefined);
    if (listed) return textAnswer([`${path} is a folder:`, ...listed].join("\n"));
  }
  if (!missing) return refusal(`${path} ${why}`);
  return refusal(await describeMissing(path, place, context));
}

/** Cuts only a line that is too long. In a short line, the cut could leave a part of a secret that the mask does not recognise. */
const startOf = (line: string, column: number): number => (line.length > MAX_LINE ? column - 1 : 0);

function numberedLines(text: string, part: Part): string {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return numbered(lines.slice(part.offset - 1, part.offset - 1 + part.limit), lines.length, part);
}

/** Shows as many of these whole lines as fit. The last line says which part of the file is shown, and how to read on. */
function numbered(lines: readonly string[], total: number, { offset, column }: Part): string {
  if (offset > total) return `(there are only ${total} lines)`;
  const shown: string[] = [];
  // Leaves room for the last line and for the mark around untrusted text.
  let room = CONTEXT_BYTES - 500;
  for (const [index, line] of lines.entries()) {
    const text = `${offset + index}\t${clipLine(line, MAX_LINE, startOf(line, column))}`;
    room -= text.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(text);
  }
  const last = offset - 1 + shown.length;
  const isClipped = lines.slice(0, shown.length).some((line) => line.length > column - 1 + MAX_LINE);
  if (isClipped) shown.push(`(long lines are cut: read on with column ${column + MAX_LINE})`);
  if (last < total) shown.push(`(lines ${offset}–${last} of ${total}; continue with offset ${last + 1})`);
  return shown.join("\n");
}
