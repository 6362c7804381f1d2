// Explains a shell command to the person who decides about it (U24).
// The explanation lists the programs, files and hosts that the command names, and decodes text hidden in base64 or hexadecimal.
//  - The explanation is for people, and never affects a verdict. If the command's text does not show everything, the explanation says so.
//  - The explanation is made from the recorded command alone, never from the agent's own explanation (A17).

import { z } from "zod";
import { isInside, isReadOnlyCommand } from "./judge-shell.ts";
import { parseShell, type ShellCommand, type ShellRedirect, type ShellWord } from "./parse-shell.ts";
import { isInterpreter, isShell, runsOthers } from "./wrappers.ts";

const ProgramReading = z.object({
  /** The words as the program receives them. Null for a word that is known only at run time. */
  argv: z.array(z.string().nullable()),
  /** The depth is 0 for a program of the command itself, and higher for a program that another program runs. */
  depth: z.int(),
  readOnly: z.boolean(),
  /** A remark about something that the command's text does not show. */
  note: z.string().exactOptional(),
  /** Whether the program executes its input, as in `curl … | sh`. */
  runsInput: z.literal(true).exactOptional(),
});
type ProgramReading = z.infer<typeof ProgramReading>;

const FileReading = z.object({
  path: z.string(),
  use: z.enum(["writes", "reads"]),
  /** Whether the file is outside the workspace. */
  outside: z.boolean(),
});
type FileReading = z.infer<typeof FileReading>;

export const CommandReading = z.object({
  /** `exact`: the command runs exactly these words. `dynamic`: parts are known only at run time. `broken`: the command was not understood. */
  grade: z.enum(["exact", "dynamic", "broken"]),
  /** Why the grade is not `exact`. */
  why: z.string(),
  programs: z.array(ProgramReading),
  files: z.array(FileReading),
  hosts: z.array(z.string()),
  /** Text hidden in base64 or hexadecimal. */
  decoded: z.array(z.object({ from: z.string(), text: z.string() })),
});
export type CommandReading = z.infer<typeof CommandReading>;

const MAX_DEPTH = 3;
const MAX_LISTED = 100;

export function explainCommand(command: string, workspace: string): CommandReading {
  const { grade, why, isUnread, commands, redirects, texts } = parseShell(command);
  if (isUnread) return { grade, why, programs: [], files: [], hosts: [], decoded: [] };
  const found: Found = { programs: [], uses: [], texts: texts.map(({ text }) => text) };
  takeAll(commands, redirects, 0, found);
  if (commands.some(({ argv }) => isShell(nameOf(argv) ?? "")))
    for (const { text, isInput } of texts) if (isInput) takeScript(text, 1, found);
  const words = [...found.programs.flatMap(({ argv }) => argv.flatMap((word) => word ?? [])), ...found.texts];
  return {
    grade,
    why,
    programs: found.programs.slice(0, MAX_LISTED),
    files: filesOf(found.uses, workspace),
    hosts: [...new Set([...words, command].flatMap(hostsIn))].slice(0, MAX_LISTED),
    decoded: decodeHiddenText([...words, command]),
  };
}

interface Found {
  programs: ProgramReading[];
  uses: FileUse[];
  texts: string[];
}

type FileUse = Pick<FileReading, "path" | "use">;

function takeAll(
  commands: readonly ShellCommand[],
  redirects: readonly ShellRedirect[],
  depth: number,
  found: Found,
): void {
  for (const command of commands) takeCommand(command, depth, found);
  for (const { operator, target } of redirects)
    if (target !== undefined)
      found.uses.push({ path: target, use: operator.includes(">") ? "writes" : "reads" });
}

function takeCommand({ argv, assigns, fed }: ShellCommand, depth: number, found: Found): void {
  if (argv.length === 0) return;
  const isFedProgram = fed && runsInput(argv);
  const notes = [
    ...(assigns ? ["variables are set for it"] : []),
    ...(isFedProgram ? ["runs what it is fed"] : []),
  ];
  found.programs.push({
    argv: argv.map((word) => word ?? null),
    depth,
    readOnly: !assigns && isReadOnlyCommand(argv).readOnly,
    ...(notes.length > 0 ? { note: notes.join("; ") } : {}),
    ...(isFedProgram ? { runsInput: true } : {}),
  });
  found.uses.push(...fileUses(nameOf(argv), argv.slice(1)));
  if (depth < MAX_DEPTH && runsOthers(nameOf(argv) ?? "", argv.slice(1))) takeInner(argv, depth + 1, found);
}

/** True if the arguments of a shell or interpreter contain no script. In that case it executes its input. */
const runsInput = (argv: readonly ShellWord[]): boolean =>
  (isShell(nameOf(argv) ?? "") || isInterpreter(nameOf(argv) ?? "")) &&
  argv.slice(1).every((word) => word?.startsWith("-") && !/^-[a-z]*[ce]/.test(word));

/** Adds the commands that a wrapper runs: scripts in its words, or the words after its own options. */
function takeInner(argv: readonly ShellWord[], depth: number, found: Found): void {
  const scripts = argv.slice(1).filter((word) => word !== undefined && /\s|[;|&]./.test(word));
  for (const script of scripts) takeScript(script!, depth, found);
  if (scripts.length > 0 || isShell(nameOf(argv)!)) return;
  const tail = nameOf(argv) === "find" ? commandOfFind(argv) : wordsAfterOptions(argv);
  if (tail.length > 0) takeCommand({ argv: tail, assigns: false, fed: false }, depth, found);
}

function takeScript(script: string, depth: number, found: Found): void {
  const { commands, redirects, texts } = parseShell(script);
  found.texts.push(...texts.map(({ text }) => text));
  takeAll(commands, redirects, depth, found);
}

/** Finds `npm test` in `timeout -k 5 10 npm test` and `env A=b npm test`. */
function wordsAfterOptions(argv: readonly ShellWord[]): readonly ShellWord[] {
  const at = argv.findIndex(
    (word, index) =>
      index > 0 && word !== undefined && !/^-|^[\w.]+=|^[\d.]+[smhd]?$|^(exec|x|run)$/.test(word),
  );
  return at < 0 ? [] : argv.slice(at);
}

function commandOfFind(argv: readonly ShellWord[]): readonly ShellWord[] {
  const at = argv.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(word ?? ""));
  if (at < 0) return [];
  const end = argv.findIndex((word, index) => index > at && (word === ";" || word === "+"));
  return argv.slice(at + 1, end < 0 ? undefined : end);
}

function filesOf(uses: Found["uses"], workspace: string): FileReading[] {
  const distinct = new Map(uses.map((use) => [`${use.use} ${use.path}`, use]));
  return [...distinct.values()]
    .slice(0, MAX_LISTED)
    .map(({ path, use }) => ({ path, use, outside: !isInside(path, { workspace }) }));
}

/** Finds hosts in addresses, in `user@host:path` and in `/dev/tcp/host`. */
function hostsIn(text: string): string[] {
  const addresses = text.match(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>()[\]{}\\|^]+/gi) ?? [];
  const hosts = addresses.flatMap((address) => URL.parse(address.replace(/[.,;:!?]+$/, ""))?.host || []);
  const logins = [...text.matchAll(/(?<![\w.-])[\w.-]+@([\w-]+(?:\.[\w-]+)+)(?=:|\s|$)/g)].map(
    ([, host]) => host!,
  );
  const sockets = [...text.matchAll(/\/dev\/(?:tcp|udp)\/([\w.-]+)\//g)].map(([, host]) => host!);
  return [...hosts, ...logins, ...sockets];
}

const nameOf = ([word]: readonly ShellWord[]): ShellWord => word?.slice(word.lastIndexOf("/") + 1);

const BASE64 = /(?<![\w+/=-])(?:[A-Za-z0-9+/]{4}){3,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w+/=])/g;

const HEX = /(?<![\w])(?:[0-9a-fA-F]{2}){8,}(?![\w])|(?:\\x[0-9a-fA-F]{2}){4,}/g;

const MAX_FOUND = 20;

function decodeHiddenText(texts: readonly string[]): { from: string; text: string }[] {
  const found = new Map<string, string>();
  for (const source of texts) {
    for (const [piece] of source.matchAll(HEX))
      addIfText(piece, Buffer.from(piece.replaceAll("\\x", ""), "hex"), found);
    for (const [piece] of source.matchAll(BASE64)) addIfText(piece, Buffer.from(piece, "base64"), found);
    if (found.size >= MAX_FOUND) break;
  }
  return [...found].map(([from, text]) => ({ from, text }));
}

/** Adds the decoded bytes only if they are text. A commit id, for example, does not decode to text. */
function addIfText(piece: string, bytes: Buffer, found: Map<string, string>): void {
  const text = bytes.toString("utf8");
  if (text.includes("\ufffd") || /[^\t\n\r\P{Cc}]/u.test(text) || !/[\s;|&/.$-]/.test(text)) return;
  if (found.size < MAX_FOUND) found.set(piece, text);
}

/** Programs that change files. The value says which of the program's arguments name the files that it changes. */
const CHANGES = {
  all: "rm rmdir unlink shred touch mkdir tee truncate mv".split(" "),
  last: "cp ln install rsync scp".split(" "),
  "but-first": "chmod chown chgrp".split(" "),
};

const READS = new Set(
  "cat head tail less more sort uniq wc diff cmp md5sum sha256sum stat file source .".split(" "),
);

/** Flags that are followed by an output file, as in `curl -o x` and `wget -O x`. */
const OUTPUT = /^(-o|-O|--output|--output-document|--output-file)$/;

const WRITES_OUTPUT = new Set("curl wget gcc g++ clang cc go rustc sort openssl pandoc".split(" "));

function fileUses(name: string | undefined, words: readonly ShellWord[]): FileUse[] {
  if (name === undefined) return [];
  const plain = words.filter((word) => word !== undefined && !word.startsWith("-")) as string[];
  if (name === "dd") return plain.flatMap(filesOfDd);
  if (name === "sed" && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word ?? "")))
    return plain.slice(1).map(writes);
  if (CHANGES.all.includes(name)) return plain.map(writes);
  if (CHANGES["but-first"].includes(name)) return plain.slice(1).map(writes);
  if (CHANGES.last.includes(name)) return [...plain.slice(0, -1).map(reads), ...plain.slice(-1).map(writes)];
  if (READS.has(name)) return plain.map(reads);
  return WRITES_OUTPUT.has(name) ? words.flatMap((word, at) => outputAt(words, word, at)) : [];
}

function filesOfDd(word: string): FileUse[] {
  const [, side, path] = /^(if|of)=(.+)$/s.exec(word) ?? [];
  if (path === undefined) return [];
  return [side === "of" ? writes(path) : reads(path)];
}

function outputAt(words: readonly ShellWord[], word: ShellWord, at: number): FileUse[] {
  const joined = /^--output(?:-document|-file)?=(.+)$/s.exec(word ?? "")?.[1];
  if (joined !== undefined) return [writes(joined)];
  const next = words[at + 1];
  return OUTPUT.test(word ?? "") && next !== undefined && !next.startsWith("-") ? [writes(next)] : [];
}

const writes = (path: string): FileUse => ({ path, use: "writes" });

const reads = (path: string): FileUse => ({ path, use: "reads" });
