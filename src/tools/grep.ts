// Searches file contents with a regular expression. ripgrep finds the lines, and Cadre reads their text again through open folders.
// If a swapped link led ripgrep outside the workspace, Cadre shows nothing from there (A35).
// The answer never hides that something is missing: it counts the lines that are not shown, and names the files that were not searched.

import { type FileHandle, lstat } from "node:fs/promises";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { z } from "zod";
import { compileBounded } from "../bounded-pattern.ts";
import { messageOf } from "../errors.ts";
import { revealHiddenInName } from "../journal/visible.ts";
import { holdsKeys } from "../key-files.ts";
import { plural } from "../projections/words/format.ts";
import { clipLine, HIDDEN_BY_RULES, refusal, textAnswer } from "./answers.ts";
import { describeMissing } from "./files/nearest-paths.ts";
import { type OpenFolder, openFolder, openRegularFile, pathIn } from "./files/open-folder.ts";
import { ripgrep } from "./files/ripgrep.ts";
import { showSavedOutput } from "./files/saved-output.ts";
import { MAX_SEARCHED_BYTES, MAX_SEARCHED_FILE, megabytes } from "./files/text-file.ts";
import { resolveInWorkspace, type WorkspacePath } from "./files/workspace-path.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

const DEFAULT_MAX = 200;
const MAX_LINES = 5_000;
/** Matching lines beyond `max` are only counted, up to this number. */
const MAX_COUNTED = 100_000;

const Input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("A regular expression; with \\n it matches across lines"),
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
    const target = await inspectTarget(place);
    if ("problem" in target) return refusal(`${input.path} ${target.problem}`);
    try {
      const all = target.isFolder ? await listFiles(input, place, context) : [place.relative];
      const found = await search(input, { ...place, ...target }, max, context);
      const lines = await readFoundLines(place.root, found.lines, matcherOf(input), context);
      lines.push(...(await searchKeyFiles(all ?? [], input, max, place, context)));
      if (lines.length === 0) lines.push("no match");
      if (found.unread) lines.push("(some files could not be read)");
      lines.push(
        ...describeRest(found, max),
        ...(await describeLargeFiles(input, all, place, found, context)),
      );
      if (hidesSome(all, context)) lines.push(HIDDEN_BY_RULES);
      return textAnswer(lines.join("\n"));
    } catch (error) {
      const problem = `could not search for ${JSON.stringify(input.pattern)}: ${messageOf(error)}`;
      return refusal(matcherOf(input) ? problem : `${withoutFlags(problem)}\n${CORRECT_PATTERN}`);
    }
  },
});

const CORRECT_PATTERN =
  "Correct the pattern: a backslash before a special character, such as \\(, searches for the character itself. Lookahead, lookbehind and backreferences are not available here; Bash has them (grep -P).";

/** ripgrep recommends flags that this tool does not have, so paragraphs with such advice are left out. */
const withoutFlags = (text: string): string =>
  text
    .split("\n\n")
    .filter((paragraph) => !/(^|\s)--\w/.test(paragraph))
    .join("\n\n");

/** Checks what a path leads to. A FIFO must be refused, because ripgrep would wait for input until the time limit (A38). */
async function inspectTarget({
  root,
  names,
}: WorkspacePath): Promise<{ isFolder: boolean } | { problem: string }> {
  const stats = await lstat(join(root, ...names)).catch(() => undefined);
  if (!stats?.isFile() && !stats?.isDirectory())
    return { problem: "is neither a regular file nor a folder: search another path" };
  if (stats.isDirectory() || stats.size <= MAX_SEARCHED_FILE) return { isFolder: stats.isDirectory() };
  const limit = megabytes(MAX_SEARCHED_FILE);
  return {
    problem: `is ${megabytes(stats.size)} MB, and files of more than ${limit} MB are not searched: use Bash (grep)`,
  };
}

/** A record of ripgrep: `path NUL number : offset : text`, with `-` in place of `:` for a context line. */
const RECORD = /^(?:\.\/)?([^\0]+)\0(\d+)([:-])(\d+)[:-]/;

interface Found {
  lines: FoundLine[];
  /** How many matching lines of each file are missing in `lines`. */
  rest: ReadonlyMap<string, number>;
  /** Whether all matching lines were counted. */
  complete: boolean;
  unread: boolean;
}

async function search(
  input: Input,
  { root, relative, isFolder }: WorkspacePath & { isFolder: boolean },
  max: number,
  { mayShow, signal }: ToolContext,
): Promise<Found> {
  const lines: FoundLine[] = [];
  const rest = new Map<string, number>();
  let counted = 0;
  await using folder = await openFolder(root, []);
  const end = await ripgrep({
    args: [
      ...flags(input),
      ...(isFolder ? [MAX_SIZE] : []),
      "--",
      acrossLines(input) ?? input.pattern,
      relative,
    ],
    separator: "\n",
    folder,
    signal,
    onRecord(record) {
      const [, path, number, sign, offset] = RECORD.exec(record) ?? [];
      if (path === undefined) return true;
      if (holdsKeys(path) || mayShow?.(path) === false) return true;
      const isMatch = sign === ":";
      if (lines.length < max) lines.push({ path, number: Number(number), offset: Number(offset), isMatch });
      else if (isMatch) rest.set(path, (rest.get(path) ?? 0) + 1);
      if (isMatch) counted++;
      return counted < MAX_COUNTED;
    },
  });
  if (!end.ok) throw new Error(end.why);
  return { lines, rest, complete: end.complete, unread: end.unread };
}

const MAX_NAMED = 20;

/** Says how many matches are not shown and in which files, so that the model can narrow its next search. */
function describeRest({ lines, rest, complete }: Found, max: number): string[] {
  if (rest.size === 0) return [];
  const matches = lines.filter(({ isMatch }) => isMatch);
  const left = [...rest.values()].reduce((sum, count) => sum + count, 0);
  const files = new Set([...matches.map(({ path }) => path), ...rest.keys()]).size;
  const total = `${complete ? "" : "more than "}${matches.length + left}`;
  const named = [...rest].slice(0, MAX_NAMED).map(([path, count]) => `${revealHiddenInName(path)} ${count}`);
  const more = rest.size > MAX_NAMED ? `, and ${plural(rest.size - MAX_NAMED, "more file")}` : "";
  return [
    `(${partShown(matches.length, total, max)}. Not shown, of ${plural(files, "file")}: ${named.join(", ")}${more})`,
  ];
}

const MAX_LISTED = 100_000;
const MAX_LARGE_NAMED = 5;

/** The files that a folder search searches. Undefined if there are too many. The list does not depend on the pattern. */
async function listFiles(
  input: Input,
  { root, relative }: WorkspacePath,
  { signal }: Pick<ToolContext, "signal">,
  more: readonly string[] = [],
): Promise<string[] | undefined> {
  await using folder = await openFolder(root, []);
  const paths: string[] = [];
  const end = await ripgrep({
    args: ["--files", "--null", ...whichFiles(input), ...more, "--", relative],
    separator: "\0",
    folder,
    signal,
    onRecord: (path) => paths.push(path.replace(/^\.\//, "")) < MAX_LISTED,
  });
  return end.ok && end.complete ? paths : undefined;
}

const MAX_JUDGED = 2_000;

/**
 * Whether a rule hides some of the files. The answer must not depend on the pattern: otherwise each search would tell
 * something about the content of a hidden file (A70).
 */
const hidesSome = (all: readonly string[] | undefined, { mayShow }: ToolContext): boolean =>
  mayShow !== undefined && (all ?? []).slice(0, MAX_JUDGED).some((path) => !mayShow(path));

const MAX_KEY_FILES = 50;
const MAX_KEY_BYTES = 100_000;

/**
 * Searches files that hold keys in their masked form. A search of their real text would tell something about the keys,
 * even if it showed only masked lines (A71).
 */
async function searchKeyFiles(
  all: readonly string[],
  input: Input,
  max: number,
  { root }: WorkspacePath,
  { mayShow, mask = (text) => text }: ToolContext,
): Promise<string[]> {
  const named = all.filter((path) => holdsKeys(path) && mayShow?.(path) !== false).sort();
  if (named.length === 0) return [];
  const matcher = matcherOf(input, MAX_KEY_BYTES);
  if (!matcher) return ["(files that hold keys were not searched: use a simpler pattern)"];
  const shown: string[] = [];
  for (const path of named.slice(0, MAX_KEY_FILES)) {
    const text = await smallText(root, path);
    if (text === undefined) continue;
    const { lines, matching, numbers } = matchedLines(mask(text), input, matcher);
    for (const at of numbers.slice(0, Math.max(0, max - shown.length))) {
      const sign = matching.has(at) ? ":" : "-";
      shown.push(`${revealHiddenInName(path)}${sign}${at + 1}${sign}${aroundMatch(lines[at]!, matcher)}`);
    }
  }
  if (named.length > MAX_KEY_FILES)
    shown.push(
      `(${named.length - MAX_KEY_FILES} more files that hold keys were not searched: name one as path)`,
    );
  return shown;
}

async function smallText(root: string, path: string): Promise<string | undefined> {
  const names = path.split("/");
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    await using file = await openRegularFile(folder, names.at(-1)!);
    const { size } = await file.stat();
    if (size > MAX_KEY_BYTES) return undefined;
    const content = Buffer.alloc(size);
    const { bytesRead } = await file.read(content, 0, size, 0);
    return decode(content.subarray(0, bytesRead));
  } catch {
    return undefined;
  }
}

/** Names the large files that a folder search skipped. If `rest` has matches, the model must search again anyway, so no file is named. */
async function describeLargeFiles(
  input: Input,
  all: readonly string[] | undefined,
  place: WorkspacePath,
  { rest }: Found,
  context: ToolContext,
): Promise<string[]> {
  if (rest.size > 0 || !all) return [];
  const { root } = place;
  const { mayShow } = context;
  const small = await listFiles(input, place, context, [MAX_SIZE]);
  if (!small || all.length === small.length) return [];
  const searched = new Set(small);
  const large: string[] = [];
  for (const path of all.filter((each) => !searched.has(each)).slice(0, 100)) {
    if (mayShow?.(path) !== false && (await isLargeFile(root, path))) large.push(revealHiddenInName(path));
  }
  if (large.length === 0) return [];
  const named = large.sort().slice(0, MAX_LARGE_NAMED).join(", ");
  const others = large.length > MAX_LARGE_NAMED ? " and others" : "";
  return [
    `(not searched, because of more than ${megabytes(MAX_SEARCHED_BYTES)} MB: ${named}${others}; give one as path to search it)`,
  ];
}

async function isLargeFile(root: string, path: string): Promise<boolean> {
  const names = path.split("/");
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    const stats = await lstat(pathIn(folder, names.at(-1)!));
    return stats.isFile() && stats.size > MAX_SEARCHED_BYTES;
  } catch {
    return false;
  }
}

/**
 * Returns the pattern if it can match more than one line. A `\n` then also matches a Windows line end. Undefined for all other patterns.
 * A `\n` in a class such as `[^\n]` is not changed.
 */
function acrossLines({ pattern }: Pick<Input, "pattern">): string | undefined {
  if (!/\n|\\n/.test(pattern)) return undefined;
  return pattern.replace(/\\\\|\[(?:\\.|[^\]\\])*\]|\\n|\n/g, (part) =>
    part === "\\n" || part === "\n" ? "\\r?\\n" : part,
  );
}

const MAX_SIZE = `--max-filesize=${MAX_SEARCHED_BYTES}`;

const whichFiles = (input: Input): string[] => [
  "--hidden",
  ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
  "--glob=!.git",
];

/** Only line numbers and offsets are needed, so `--max-columns=1` is set. ripgrep itself skips binary files. */
function flags(input: Input): string[] {
  return [
    "--line-number",
    "--byte-offset",
    "--no-heading",
    "--with-filename",
    "--null",
    "--crlf",
    "--sort=path",
    "--max-columns=1",
    ...(acrossLines(input) === undefined ? [] : ["--multiline"]),
    ...(input.ignore_case ? ["--ignore-case"] : []),
    ...(input.context ? [`--context=${input.context}`] : []),
    ...whichFiles(input),
  ];
}

interface FoundLine {
  path: string;
  /** Line number, starting at 1. */
  number: number;
  /** Position of the line in the file in bytes. A byte order mark does not count. */
  offset: number;
  /** True for a matching line, false for a context line near a match. */
  isMatch: boolean;
}

const MAX_LINE = 500;

/** Returns the lines as `path:number:text`, read through open folders. Paths that are no longer regular files are left out. */
async function readFoundLines(
  root: string,
  found: readonly FoundLine[],
  matcher: RE2JS | undefined,
  { mask }: Pick<ToolContext, "mask">,
): Promise<string[]> {
  const shown: string[] = [];
  const folders = Map.groupBy(found, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  for (const [parent, inside] of folders) {
    const names = parent.split("/").filter((name) => name !== "" && name !== ".");
    const folder = await openFolder(root, names).catch(() => undefined);
    await using _held = folder;
    for (const [path, lines] of Map.groupBy(inside, (line) => line.path)) {
      const texts = folder && (await textsOf(folder, path.slice(parent.length), lines, mask));
      if (texts) shown.push(...describeLines(revealHiddenInName(path), lines, texts, matcher));
    }
  }
  return shown;
}

function describeLines(
  path: string,
  lines: readonly FoundLine[],
  texts: readonly (string | undefined)[],
  matcher: RE2JS | undefined,
): string[] {
  const hasContext = lines.some(({ isMatch }) => !isMatch);
  return lines.flatMap(({ number, isMatch }, index) => {
    const line = texts[index];
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

/** The pattern for searches without ripgrep. Undefined if only ripgrep can read the pattern, or if the search could take long. */
const matcherOf = ({ pattern, ignore_case }: Input, length = MAX_SEARCHED_HERE): RE2JS | undefined =>
  compileBounded(pattern, length, ignore_case ? RE2JS.CASE_INSENSITIVE : 0);

/** Long lines are searched again for the text around a match, up to this many characters in all. */
const MAX_SEARCHED_HERE = 1_000_000;

/** Searches an output that was too long for the context. */
function searchText(text: string, input: Input, max: number): ToolAnswer {
  const matcher = matcherOf(input, text.length);
  if (!matcher)
    return refusal(
      `${JSON.stringify(input.pattern)} cannot be searched for in a saved output: use a simpler pattern`,
    );
  const { lines, matching, numbers: all } = matchedLines(text, input, matcher);
  if (matching.size === 0) return { output: "no match" };
  const numbers = all.slice(0, max);
  const shown = numbers.map(
    (at) => `${at + 1}${matching.has(at) ? ":" : "-"}${aroundMatch(lines[at]!, matcher)}`,
  );
  const matches = numbers.filter((at) => matching.has(at)).length;
  if (matches < matching.size) shown.push(`(${partShown(matches, matching.size, max)})`);
  return textAnswer(shown.join("\n"));
}

/** The lines of a text, and the indexes of those that match and of those to show. */
function matchedLines(text: string, input: Input, matcher: RE2JS) {
  const lines = text.split("\n");
  const found = acrossLines(input)
    ? linesAcross(text, matcher)
    : lines.flatMap((line, index) => (matcher.matcher(line).find() ? [index] : []));
  const near = input.context ?? 0;
  const around = found.flatMap((index) =>
    Array.from({ length: 2 * near + 1 }, (_, step) => index - near + step).filter(
      (at) => at >= 0 && at < lines.length,
    ),
  );
  return { lines, matching: new Set(found), numbers: [...new Set(around)] };
}

/** Indexes of the lines that a pattern across lines matches. */
function linesAcross(text: string, pattern: RE2JS): number[] {
  const found: number[] = [];
  const matcher = pattern.matcher(text);
  let line = 0;
  let at = 0;
  while (matcher.find()) {
    for (; at < matcher.start(); at++) if (text[at] === "\n") line++;
    if (found.at(-1) !== line) found.push(line);
    for (; at < matcher.end() - 1; at++) if (text[at] === "\n") found.push(++line);
  }
  return found;
}

const partShown = (shown: number, total: number | string, max: number): string =>
  `${shown} of ${total} matching lines are shown: narrow the search${max < MAX_LINES ? ", or raise max" : ""}`;

/** The texts of these lines. Undefined if the file can no longer be read. */
async function textsOf(
  folder: OpenFolder,
  name: string,
  lines: readonly FoundLine[],
  mask: ToolContext["mask"] = (text) => text,
): Promise<(string | undefined)[] | undefined> {
  try {
    await using file = await openRegularFile(folder, name);
    const { size } = await file.stat();
    if (size > MAX_SEARCHED_BYTES) return (await textsAt(file, lines)).map(mask);
    const content = Buffer.alloc(size);
    const { bytesRead } = await file.read(content, 0, content.length, 0);
    const all = mask(decode(content.subarray(0, bytesRead))).split("\n");
    return lines.map(({ number }) => all[number - 1]);
  } catch {
    return undefined;
  }
}

const MAX_READ_LINE = 64 * 1024;

/** Reads only the lines themselves, because the file is too large to be held in memory. */
async function textsAt(file: FileHandle, lines: readonly FoundLine[]): Promise<string[]> {
  const chunk = Buffer.alloc(MAX_READ_LINE);
  const start = await file.read(chunk, 0, 3, 0);
  if (isUtf16(chunk.subarray(0, start.bytesRead)))
    return lines.map(() => "(UTF-16 text; convert the file with Bash (iconv) to see the line)");
  const mark = chunk.toString("utf8", 0, 3) === "\ufeff" ? 3 : 0;
  const texts: string[] = [];
  for (const { offset } of lines) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, offset + mark);
    const end = chunk.subarray(0, bytesRead).indexOf("\n");
    texts.push(chunk.toString("utf8", 0, end < 0 ? bytesRead : end));
  }
  return texts;
}

const isUtf16 = (content: Buffer): boolean =>
  content.length > 1 && [0xfffe, 0xfeff].includes(content.readUInt16BE(0));

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
