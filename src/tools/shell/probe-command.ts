// Checks whether an interrupted shell command took effect, by what it would have left behind. It understands commands of a known
// shape only, and answers `cannot_tell` for all others (PB4). The only program that it runs is git, for reading.

import { basename } from "node:path";
import { revealHidden } from "../../journal/visible.ts";
import type { ProbeContext, ProbeResult } from "../tool.ts";
import { parsePlainCommands } from "./plain-commands.ts";
import { probeCommit } from "./probe-commit.ts";
import { type PathState, probePath } from "./probe-path.ts";

export async function probeCommand(command: string, context: ProbeContext): Promise<ProbeResult> {
  const commands = parsePlainCommands(command);
  if (!commands) return cannotTell("The command is not of a shape whose effect can be looked up.");
  let base = ".";
  const looks: Look[] = [];
  for (const [program = "", ...words] of commands) {
    const [first = "-"] = words;
    if (program === "cd" && !first.startsWith("-")) base = joined(base, first);
    else if (!TRACELESS.has(program) && !isGit(program, words, "add"))
      looks.push({ program, ...(await lookOf(program, words, { ...context, base })) });
  }
  if (looks.length === 0) return cannotTell("It leaves nothing behind that could be looked up.");
  return { found: together(looks), evidence: looks.flatMap(({ evidence }) => evidence.map(revealHidden)) };
}

const TRACELESS: ReadonlySet<string> = new Set(["sleep", "echo", "true", "pwd", "ls"]);

interface Look extends ProbeResult {
  program: string;
}

interface LookContext extends ProbeContext {
  /** Folder that the command runs in, relative to the workspace. */
  base: string;
}

/** With `&&`, the last command ran only if all before it succeeded. */
function together(looks: readonly Look[]): ProbeResult["found"] {
  const last = looks.at(-1)!;
  if (looks.every(({ found }) => found === "done")) return "done";
  // A missing file may never have existed, so `rm` proves nothing about the commands before it.
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

/** Undefined if the words contain an unknown flag. */
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
  /** The second path may be a folder that the first is moved or copied into. */
  goesInto?: true;
  takes(count: number): boolean;
  judge(seen: readonly Plain[], context: LookContext): ProbeResult;
}

const some = (count: number): boolean => count > 0;
const two = (count: number): boolean => count === 2;

const SHAPES: Readonly<Record<string, Shape>> = {
  mkdir: {
    flags: /^(-p|--parents)$/,
    takes: some,
    judge: (seen, context) => ofEach(seen, madeFolder, context),
  },
  touch: { flags: /^$/, takes: some, judge: (seen, context) => ofEach(seen, touched, context) },
  rm: {
    flags: /^(-[rRf]+|--recursive|--force)$/,
    takes: some,
    judge: (seen, context) => ofEach(seen, removed, context),
  },
  rmdir: { flags: /^$/, takes: some, judge: (seen, context) => ofEach(seen, removed, context) },
  mv: {
    flags: /^-f$/,
    goesInto: true,
    takes: two,
    judge: ([from, to], context) => moved(from!, to!, context),
  },
  cp: {
    flags: /^-[fp]+$/,
    goesInto: true,
    takes: two,
    judge: ([from, to], context) => copied(from!, to!, context),
  },
};

type Judge = (seen: Plain, context: LookContext) => [ProbeResult["found"], string];

/** Conclusive only if all paths agree: otherwise the command may have been done in part. */
function ofEach(seen: readonly Plain[], judge: Judge, context: LookContext): ProbeResult {
  const looks = seen.map((one) => judge(one, context));
  const [first] = looks[0]!;
  const found = looks.every(([one]) => one === first) ? first : "cannot_tell";
  return { found, evidence: looks.map(([, words]) => words) };
}

const madeFolder: Judge = (seen, { startedAt }) => {
  const { path } = seen;
  if (seen.at === "absent") return ["not_done", `There is no folder ${path}.`];
  if (seen.at === "file") return ["not_done", `${path} is a file, and no folder.`];
  if (seen.made === undefined) return ["cannot_tell", `The folder ${path} is there; since when is not kept.`];
  if (isSince(seen.made, startedAt))
    return ["done", `The folder ${path} is there, made ${at(seen.made)}, after the call began.`];
  return ["cannot_tell", `The folder ${path} was there before the call began (made ${at(seen.made)}).`];
};

const touched: Judge = (seen, { startedAt }) => {
  const { path } = seen;
  if (seen.at === "absent") return ["not_done", `There is no file ${path}.`];
  if (!isSince(seen.changed, startedAt))
    return ["not_done", `${path} was last changed ${at(seen.changed)}, before the call began.`];
  return ["done", `${path} is there, last changed ${at(seen.changed)}, after the call began.`];
};

const removed: Judge = (seen, { startedAt }) => {
  const { path } = seen;
  if (seen.at === "absent") return ["done", `${path} is not there.`];
  if (seen.made !== undefined && isSince(seen.made, startedAt))
    return ["cannot_tell", `${path} is there, but was made ${at(seen.made)}, after the call began.`];
  return ["not_done", `${path} is still there.`];
};

function moved(from: Plain, to: Plain, context: LookContext): ProbeResult {
  const gone = from.at === "absent";
  const words = [`${from.path} is ${gone ? "not" : "still"} there.`, thereWords(to, context)];
  if (gone && to.at !== "absent" && isSince(to.touched, context.startedAt))
    return { found: "done", evidence: words };
  return { found: !gone && to.at === "absent" ? "not_done" : "cannot_tell", evidence: words };
}

function copied(from: Plain, to: Plain, context: LookContext): ProbeResult {
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
  return `${seen.path} is there${hashWords(seen)}, last changed ${at(seen.changed)}${when}.`;
}

const hashWords = ({ fingerprint }: There): string =>
  fingerprint === undefined ? "" : ` (sha256 ${fingerprint})`;

/** Allows for the coarse timestamps of some file systems. */
const isSince = (time: number, startedAt: number): boolean => time >= startedAt - 1_000;

const at = (time: number): string => new Date(time).toISOString();

const joined = (base: string, path: string): string =>
  path.startsWith("/") || base === "." ? path : `${base}/${path}`;

const cannotTell = (...evidence: string[]): ProbeResult => ({ found: "cannot_tell", evidence });
