// Checks whether an interrupted shell command took effect, by looking for the files and commits that it leaves behind.
// The probe understands only a few commands, and answers `cannot_tell` for all others (PB4). It starts no program except git, which only reads.

import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { revealHidden } from "../../journal/visible.ts";
import { openFolder, pathIn } from "../files/open-folder.ts";
import { ABSENT, readTextFile } from "../files/text-file.ts";
import { resolveInWorkspace } from "../files/workspace-path.ts";
import { git, inFolder } from "../git/run-git.ts";
import type { ProbeContext, ProbeResult } from "../tool.ts";

export async function probeCommand(command: string, context: ProbeContext): Promise<ProbeResult> {
  const commands = parsePlainCommands(command);
  if (!commands) return cannotTell("The command is not of a shape whose effect can be looked up.");
  let base = ".";
  const looks: Look[] = [];
  for (const [program = "", ...words] of commands) {
    const [first = "-"] = words;
    if (program === "cd" && !first.startsWith("-")) base = joinPaths(base, first);
    else if (!TRACELESS.has(program) && !isGit(program, words, "add"))
      looks.push({ program, ...(await lookOf(program, words, { ...context, base })) });
  }
  if (looks.length === 0) return cannotTell("It leaves nothing behind that could be looked up.");
  return {
    found: combineResults(looks),
    evidence: looks.flatMap(({ evidence }) => evidence.map(revealHidden)),
    ...(isProven(commands, looks) ? { isProof: true } : {}),
  };
}

/** Commands joined by `&&` are proven if the last one is, because it ran only after the others had succeeded. */
const isProven = (commands: readonly string[][], looks: readonly Look[]): boolean => {
  const [program, ...words] = commands.at(-1) ?? [];
  return program !== undefined && isGit(program, words, "commit") && looks.at(-1)?.isProof === true;
};

const TRACELESS: ReadonlySet<string> = new Set(["sleep", "echo", "true", "pwd", "ls"]);

interface Look extends ProbeResult {
  program: string;
}

interface LookContext extends ProbeContext {
  /** The folder that the command runs in, relative to the workspace. */
  base: string;
}

/** Combines the results of commands joined by `&&`: the last command ran only if all earlier commands succeeded. */
function combineResults(looks: readonly Look[]): ProbeResult["found"] {
  const last = looks.at(-1)!;
  if (looks.every(({ found }) => found === "done")) return "done";
  // A missing file might never have existed, so a successful `rm` proves nothing about the commands before it.
  const vouches = last.found === "done" && last.program !== "rm" && last.program !== "rmdir";
  if (vouches && looks.every(({ found }) => found !== "not_done")) return "done";
  return looks.every(({ found }) => found === "not_done") ? "not_done" : "cannot_tell";
}

async function lookOf(program: string, words: readonly string[], context: LookContext): Promise<ProbeResult> {
  if (isGit(program, words, "commit")) return probeCommit(words.slice(1), context.base, context);
  const shape = Object.hasOwn(SHAPES, program) ? SHAPES[program] : undefined;
  const paths = shape && pathsOf(words, shape.flags);
  if (!shape || !paths || !shape.takes(paths.length))
    return cannotTell(`Of \`${program}\` it is not known what it leaves behind.`);
  const seen = await Promise.all(paths.map((path) => probePath(path, context.base, context)));
  const [from = "", to = ""] = paths;
  if (shape.goesInto && seen[1]?.at === "folder")
    seen[1] = await probePath(`${to}/${basename(from)}`, context.base, context);
  const hidden = seen.flatMap((one) => (one.at === "unknown" ? [one.why] : []));
  return hidden.length > 0 ? cannotTell(...hidden) : shape.judge(seen as Plain[], context);
}

const isGit = (program: string, [first]: readonly string[], command: string): boolean =>
  program === "git" && first === command;

/** Returns the paths among a command's words. Undefined if the words contain an unknown flag. */
function pathsOf(words: readonly string[], flags: RegExp): string[] | undefined {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const given = before.filter((word) => word.startsWith("-"));
  if (!given.every((flag) => flags.test(flag))) return undefined;
  return [...before.filter((word) => !word.startsWith("-")), ...(end < 0 ? [] : words.slice(end + 1))];
}

type Plain = Exclude<PathState, { at: "unknown" }>;
type There = Exclude<Plain, { at: "absent" }>;

interface Shape {
  flags: RegExp;
  /** The second path might be a folder into which the first path is moved or copied. */
  goesInto?: true;
  takes(count: number): boolean;
  judge(seen: readonly Plain[], context: LookContext): ProbeResult;
}

const isSome = (count: number): boolean => count > 0;
const isTwo = (count: number): boolean => count === 2;

const SHAPES: Readonly<Record<string, Shape>> = {
  mkdir: { flags: /^(-p|--parents)$/, takes: isSome, judge: judgeEach(judgeFolder) },
  touch: { flags: /^$/, takes: isSome, judge: judgeEach(judgeTouch) },
  rm: { flags: /^(-[rRf]+|--recursive|--force)$/, takes: isSome, judge: judgeEach(judgeRemoval) },
  rmdir: { flags: /^$/, takes: isSome, judge: judgeEach(judgeRemoval) },
  mv: { flags: /^-f$/, goesInto: true, takes: isTwo, judge: judgeTwo(judgeMove) },
  cp: { flags: /^-[fp]+$/, goesInto: true, takes: isTwo, judge: judgeTwo(judgeCopy) },
};

type PathJudgement = [ProbeResult["found"], string];

/** The result is conclusive only if all paths agree. Otherwise the command might have been done in part. */
function judgeEach(judge: (seen: Plain, context: LookContext) => PathJudgement): Shape["judge"] {
  return (seen, context) => {
    const looks = seen.map((one) => judge(one, context));
    const [first] = looks[0]!;
    const found = looks.every(([one]) => one === first) ? first : "cannot_tell";
    return { found, evidence: looks.map(([, words]) => words) };
  };
}

function judgeFolder(seen: Plain, { startedAt }: LookContext): PathJudgement {
  const { path } = seen;
  if (seen.at === "absent") return ["not_done", `There is no folder ${path}.`];
  if (seen.at === "file") return ["not_done", `${path} is a file, and no folder.`];
  if (seen.made === undefined) return ["cannot_tell", `The folder ${path} is there; since when is not kept.`];
  if (isSince(seen.made, startedAt))
    return ["done", `The folder ${path} is there, made ${timeText(seen.made)}, after the call began.`];
  return ["cannot_tell", `The folder ${path} was there before the call began (made ${timeText(seen.made)}).`];
}

function judgeTouch(seen: Plain, { startedAt }: LookContext): PathJudgement {
  const { path } = seen;
  if (seen.at === "absent") return ["not_done", `There is no file ${path}.`];
  if (!isSince(seen.changed, startedAt))
    return ["not_done", `${path} was last changed ${timeText(seen.changed)}, before the call began.`];
  return ["done", `${path} is there, last changed ${timeText(seen.changed)}, after the call began.`];
}

function judgeRemoval(seen: Plain, { startedAt }: LookContext): PathJudgement {
  const { path } = seen;
  if (seen.at === "absent") return ["done", `${path} is not there.`];
  if (seen.made !== undefined && isSince(seen.made, startedAt))
    return ["cannot_tell", `${path} is there, but was made ${timeText(seen.made)}, after the call began.`];
  return ["not_done", `${path} is still there.`];
}

function judgeTwo(judge: (from: Plain, to: Plain, context: LookContext) => ProbeResult): Shape["judge"] {
  return ([from, to], context) => judge(from!, to!, context);
}

function judgeMove(from: Plain, to: Plain, context: LookContext): ProbeResult {
  const gone = from.at === "absent";
  const words = [`${from.path} is ${gone ? "not" : "still"} there.`, thereWords(to, context)];
  if (gone && to.at !== "absent" && isSince(to.touched, context.startedAt))
    return { found: "done", evidence: words };
  return { found: !gone && to.at === "absent" ? "not_done" : "cannot_tell", evidence: words };
}

function judgeCopy(from: Plain, to: Plain, context: LookContext): ProbeResult {
  if (to.at === "absent") return { found: "not_done", evidence: [thereWords(to, context)] };
  const isSame =
    to.at === "file" &&
    from.at === "file" &&
    to.fingerprint !== undefined &&
    to.fingerprint === from.fingerprint;
  if (isSame)
    return {
      found: "done",
      evidence: [`${to.path} has exactly the content of ${from.path} (sha256 ${to.fingerprint}).`],
    };
  return cannotTell(thereWords(to, context), `Its content is not that of ${from.path} as it is now.`);
}

function thereWords(seen: Plain, { startedAt }: LookContext): string {
  if (seen.at === "absent") return `${seen.path} is not there.`;
  const when = isSince(seen.changed, startedAt) ? "" : ", before the call began";
  return `${seen.path} is there${hashWords(seen)}, last changed ${timeText(seen.changed)}${when}.`;
}

const hashWords = ({ fingerprint }: There): string =>
  fingerprint === undefined ? "" : ` (sha256 ${fingerprint})`;

/** Allows a difference of one second, because some file systems have coarse timestamps. */
const isSince = (time: number, startedAt: number): boolean => time >= startedAt - 1_000;

const timeText = (time: number): string => new Date(time).toISOString();

const joinPaths = (base: string, path: string): string =>
  path.startsWith("/") || base === "." ? path : `${base}/${path}`;

const cannotTell = (...evidence: string[]): ProbeResult => ({ found: "cannot_tell", evidence });

/** The words of each command in a line of plain commands joined by `&&`. Undefined if a shell would interpret any part of the line. */
export function parsePlainCommands(line: string): string[][] | undefined {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  for (const [token] of line.trim().matchAll(TOKENS)) {
    if (/^[ \t]/.test(token)) endWord();
    else if (token === "&&") {
      endWord();
      commands.push([]);
    } else {
      const text = textOf(token, word === undefined);
      if (text === undefined) return undefined;
      word = (word ?? "") + text;
    }
  }
  endWord();
  return commands.every((words) => words.length > 0) ? commands : undefined;
}

const TOKENS = /[ \t]+|&&|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\w./:=@%+,^-]+|[\s\S]/gu;

function textOf(token: string, isFirst: boolean): string | undefined {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1);
  if (token.startsWith('"') && token.length > 1) return unquote(token.slice(1, -1));
  if (token.startsWith("\\")) return token.length > 1 && token !== "\\\n" ? token.slice(1) : undefined;
  if (isFirst && token.startsWith("=")) return undefined;
  return /^[\w./:=@%+,^-]+$/.test(token) || /^[^\p{ASCII}]$/u.test(token) ? token : undefined;
}

function unquote(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*[$`]/.test(text) || text.includes("\\\n")) return undefined;
  return text.replaceAll(/\\([$`"\\])/g, "$1");
}

type PathState = { path: string } & (
  | { at: "absent" }
  /** Times in milliseconds since 1970. `made` is undefined if the file system does not record it. A rename also updates `touched`. */
  | {
      at: "file" | "folder";
      made: number | undefined;
      changed: number;
      touched: number;
      fingerprint?: string;
    }
  /** `why` is a whole sentence. */
  | { at: "unknown"; why: string }
);

/** Inspects a path without following any link, and only if the rules allow reading it (PB2, X2). */
async function probePath(
  path: string,
  base: string,
  { workspace, mayShow }: ProbeContext,
): Promise<PathState> {
  const place = await resolveInWorkspace(workspace, joinPaths(base, path));
  if (!place.ok) return { path, at: "unknown", why: `${place.why}.` };
  const { relative, root, names } = place;
  if (!mayShow(relative))
    return { path: relative, at: "unknown", why: `The rules do not let ${relative} be read.` };
  if (!place.exists) return { path: relative, at: "absent" };
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    const stats = await lstat(pathIn(folder, names.at(-1) ?? "."));
    const made = stats.birthtimeMs > 0 ? stats.birthtimeMs : undefined;
    const times = { path: relative, made, changed: stats.mtimeMs, touched: stats.ctimeMs };
    if (stats.isDirectory()) return { at: "folder", ...times };
    if (!stats.isFile()) return { path: relative, at: "unknown", why: `${relative} is no plain file.` };
    const { fingerprint } = await readTextFile(place);
    if (fingerprint === ABSENT) return { path: relative, at: "absent" };
    return { at: "file", ...times, ...(isHash(fingerprint) ? { fingerprint } : {}) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return { path: relative, at: "unknown", why: `${relative} could not be looked at (${code}).` };
  }
}

/** True for a hash of a file's content. A file that is too long has a different kind of fingerprint. */
const isHash = (fingerprint: string): boolean => /^[0-9a-f]{64}$/.test(fingerprint);

const GIT_MS = 4_000;
const LOOKED_AT = 20;

/** Looks for a commit at HEAD that has the command's message and is newer than the call. */
async function probeCommit(
  words: readonly string[],
  base: string,
  { workspace, startedAt, mayShow }: ProbeContext,
): Promise<ProbeResult> {
  const place = await resolveInWorkspace(workspace, base);
  if (!place.ok) return cannotTell(`${place.why}.`);
  if (!mayShow(place.relative)) return cannotTell(`The rules do not let ${place.relative} be read.`);
  const commits = await latestCommits([place.root, ...place.names].join("/")).catch(() => undefined);
  if (!commits) return cannotTell("git could not say which commits there are.");
  const since = commits.filter(({ at }) => at >= Math.floor(startedAt / 1000));
  const message = messageOf(words);
  const made = since.find((commit) => message !== undefined && isMessage(commit.message, message));
  if (made)
    return { found: "done", evidence: [`Commit ${commitText(made)} has this message.`], isProof: true };
  const [head] = commits;
  if (since.length > 0)
    return cannotTell(
      `HEAD has ${since.length} new since the call began, the latest ${commitText(since[0]!)}: none is known to be this one.`,
    );
  const still = head ? `HEAD is still ${commitText(head)}, older than the call.` : "There is no commit yet.";
  return { found: "not_done", evidence: [still] };
}

interface Commit {
  id: string;
  /** Seconds since 1970, as git stores times. */
  at: number;
  message: string;
}

/** Uses `rev-list`, because a repository's settings can make `git log` start programs. */
async function latestCommits(folder: string): Promise<Commit[]> {
  const place = { ...inFolder(folder), timeout: GIT_MS };
  const heads = await git(place, ["rev-parse", "--revs-only", "HEAD"]);
  if (heads === "") return [];
  const args = [
    "rev-list",
    `--max-count=${LOOKED_AT}`,
    "--no-commit-header",
    "--format=%H%x00%ct%x00%B%x01",
    "HEAD",
  ];
  const said = await git(place, args);
  return said.split("\u0001").flatMap((one) => {
    const [id = "", at = "", message = ""] = one.trimStart().split("\0");
    return id === "" ? [] : [{ id, at: Number(at), message }];
  });
}

/** The message of the commit. Undefined if the command gives no message, or if a flag might change the message. */
function messageOf(words: readonly string[]): string | undefined {
  const parts: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const inline = /^(?:--message=|-a?m(?=.))([\s\S]+)$/.exec(word)?.[1];
    if (inline !== undefined) parts.push(inline);
    else if (/^(-a?m|--message)$/.test(word)) parts.push(words[++index] ?? "");
    else if (!HARMLESS.has(word)) return undefined;
  }
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}

/** Flags that keep the message as given, or only append lines to it. */
const HARMLESS: ReadonlySet<string> = new Set(
  "-a --all -q --quiet -s --signoff -n --no-verify --amend --allow-empty".split(" "),
);

const isMessage = (recorded: string, given: string): boolean =>
  tidyMessage(recorded) === tidyMessage(given) ||
  tidyMessage(recorded).startsWith(`${tidyMessage(given)}\n\nSigned-off-by: `);

/** Cleans up the message as git does: removes trailing spaces and repeated empty lines. */
const tidyMessage = (text: string): string =>
  text
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();

const commitText = ({ id, at, message }: Commit): string =>
  `${id.slice(0, 12)} "${message.split("\n", 1)[0]!.slice(0, 100)}" of ${new Date(at * 1000).toISOString()}`;
