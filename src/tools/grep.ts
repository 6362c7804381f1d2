// Searches file contents with a regular expression. ripgrep finds the lines, and Cadre reads their text again through open folders.
// If a swapped link led ripgrep outside the workspace, Cadre shows nothing from there (A35).

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { revealHiddenInName } from "../journal/visible.ts";
import { clipLine, HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { describeMissing } from "./files/nearest-paths.ts";
import { type OpenFolder, openFolder, openRegularFile } from "./files/open-folder.ts";
import { ripgrep } from "./files/ripgrep.ts";
import { showSavedOutput } from "./files/saved-output.ts";
import { MAX_SEARCHED_BYTES, megabytes } from "./files/text-file.ts";
import { resolveInWorkspace, type WorkspacePath } from "./files/workspace-path.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

const DEFAULT_MAX = 200;
const MAX_LINES = 5_000;

const Input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("A regular expression"),
  path: z.string().optional().describe("The file or folder to search; the workspace without it"),
  glob: z.string().max(1_000).optional().describe("Only files whose path matches, such as *.ts"),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(50).optional().describe("Lines to show before and after each match"),
  max: z.int().min(1).max(MAX_LINES).optional().describe(`Lines to show, ${DEFAULT_MAX} without it`),
});
type Input = z.infer<typeof Input>;

export const grepTool = defineTool({
  name: "Grep",
  description:
    "Searches file contents in the workspace by a regular expression (ripgrep's syntax). Answers file:line:text. Skips files that .gitignore names. Search before you read whole files.",
  input: Input,
  effect: "read",
  reaches: [],
  target: { kind: "path", field: "path", use: "reads" },
  searches: true,
  aliases: ["search_code", "grep_search", "search_files", "search"],

  async execute(input, context) {
    const max = input.max ?? DEFAULT_MAX;
    const saved = await showSavedOutput(input.path ?? ".", context, (text) => searchText(text, input, max));
    if (saved) return saved;
    const place = await resolveInWorkspace(context.workspace, input.path ?? ".");
    if (!place.ok) return refusal(place.why);
    if (!place.exists) return refusal(await describeMissing(input.path ?? ".", place, context));
    const problem = await searchProblem(place);
    if (problem !== undefined) return refusal(`${input.path} ${problem}`);
    try {
      const found = await search(input, place, max, context);
      const lines = await readFoundLines(place.root, found.lines, matcherOf(input));
      if (lines.length === 0) lines.push("no match");
      if (found.unread) lines.push("(some files could not be read)");
      if (!found.complete) lines.push(`${tooMany(max)}`);
      if (found.kept) lines.push(HIDDEN_BY_RULES);
      return textAnswer(lines.join("\n"));
    } catch (error) {
      const pattern = JSON.stringify(input.pattern);
      return refusal(
        matcherOf(input)
          ? `could not search for ${pattern}: ${messageOf(error)}`
          : `could not search for ${pattern}: ${messageOf(error)}\nCorrect the pattern; a backslash before a special character, such as \\(, searches for the character itself`,
      );
    }
  },
});

/** Why ripgrep would not search it. It would wait for a FIFO until the time limit (A38), and skip a very large file without a word. */
async function searchProblem({ root, names }: WorkspacePath): Promise<string | undefined> {
  const stats = await lstat(join(root, ...names)).catch(() => undefined);
  if (!stats?.isFile() && !stats?.isDirectory())
    return "is neither a regular file nor a folder: search another path";
  return stats.isFile() && stats.size > MAX_SEARCHED_BYTES
    ? `is ${megabytes(stats.size)} MB, and files of more than ${megabytes(MAX_SEARCHED_BYTES)} MB are not searched: use Bash (grep)`
    : undefined;
}

/** A record of ripgrep: `path NUL number : text`, with `-` in place of `:` for a context line. */
const RECORD = /^(?:\.\/)?([^\0]+)\0(\d+)([:-])/;

interface Found {
  lines: FoundLine[];
  complete: boolean;
  unread: boolean;
  /** Whether a rule hides some matches. */
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

/** Only line numbers are needed, so `--max-columns=1` is set. ripgrep itself skips binary files. */
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

interface FoundLine {
  path: string;
  /** Line number, starting at 1. */
  number: number;
  /** False for a context line near a match. */
  isMatch: boolean;
}

const MAX_LINE = 500;

/** Returns the lines as `path:number:text`, read through open folders. Paths that are no longer regular files are left out. */
async function readFoundLines(
  root: string,
  found: readonly FoundLine[],
  matcher: RE2JS | undefined,
): Promise<string[]> {
  const shown: string[] = [];
  const folders = Map.groupBy(found, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  for (const [parent, inside] of folders) {
    const names = parent.split("/").filter((name) => name !== "" && name !== ".");
    const folder = await openFolder(root, names).catch(() => undefined);
    await using _held = folder;
    for (const [path, lines] of Map.groupBy(inside, (line) => line.path)) {
      const text = folder && (await contentOf(folder, path.slice(parent.length)));
      if (text !== undefined) shown.push(...linesIn(text, revealHiddenInName(path), lines, matcher));
    }
  }
  return shown;
}

function linesIn(
  text: string,
  path: string,
  lines: readonly FoundLine[],
  matcher: RE2JS | undefined,
): string[] {
  const all = text.split("\n");
  const hasContext = lines.some(({ isMatch }) => !isMatch);
  return lines.flatMap(({ number, isMatch }, index) => {
    const line = all[number - 1];
    if (line === undefined) return [];
    const sign = isMatch ? ":" : "-";
    const isApart = hasContext && index > 0 && number > lines[index - 1]!.number + 1;
    return [...(isApart ? ["--"] : []), `${path}${sign}${number}${sign}${aroundMatch(line, matcher)}`];
  });
}

/** A long line is cut so that the text around its first match is shown. */
function aroundMatch(line: string, matcher: RE2JS | undefined): string {
  if (line.length <= MAX_LINE) return clipLine(line, MAX_LINE);
  const found = matcher?.matcher(line);
  const at = found?.find() ? found.start() : 0;
  return clipLine(line, MAX_LINE, at < MAX_LINE / 2 ? 0 : at - MAX_LINE / 2);
}

/** The pattern for our own searches. Undefined if only ripgrep understands it. */
function matcherOf({ pattern, ignore_case }: Input): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}

/** Searches an output that was too long for the context. */
const tooMany = (max: number): string =>
  `(more than ${max} lines: narrow the search${max < MAX_LINES ? ", or raise max" : ""})`;

function searchText(text: string, input: Input, max: number): ToolAnswer {
  const matcher = matcherOf(input);
  if (!matcher)
    return refusal(
      `${JSON.stringify(input.pattern)} cannot be searched for in a saved output: use a simpler pattern`,
    );
  const lines = text.split("\n");
  const found = lines.flatMap((line, index) => (matcher.matcher(line).find() ? [index] : []));
  if (found.length === 0) return { output: "no match" };
  const near = input.context ?? 0;
  const wanted = found.flatMap((index) =>
    Array.from({ length: 2 * near + 1 }, (_, step) => index - near + step).filter(
      (at) => at >= 0 && at < lines.length,
    ),
  );
  const shown = [...new Set(wanted)]
    .slice(0, max)
    .map((at) => `${at + 1}:${aroundMatch(lines[at]!, matcher)}`);
  if (shown.length < new Set(wanted).size) shown.push(tooMany(max));
  return textAnswer(shown.join("\n"));
}

async function contentOf(folder: OpenFolder, name: string): Promise<string | undefined> {
  try {
    await using file = await openRegularFile(folder, name);
    const { size } = await file.stat();
    if (size > MAX_SEARCHED_BYTES) return undefined;
    const content = Buffer.alloc(size);
    const { bytesRead } = await file.read(content, 0, content.length, 0);
    return decode(content.subarray(0, bytesRead));
  } catch {
    return undefined;
  }
}

/** Decodes as ripgrep does: by the byte order mark, or else as UTF-8 with invalid bytes replaced. */
function decode(content: Buffer): string {
  const mark = content.length > 1 ? content.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return content.subarray(2).toString("utf16le");
  if (mark === 0xfeff)
    return content
      .subarray(2, content.length - (content.length % 2))
      .swap16()
      .toString("utf16le");
  return content.toString("utf8").replace(/^\ufeff/, "");
}
