// Parses a shell command into the commands that it would run, as far as its text shows them.
// Only listed syntax is understood. Unknown syntax lowers the grade, so it can make approval necessary but never allow a call.
//  exact    every word is literal: `argv` is exactly what runs
//  dynamic  well-formed, but parts are known only at run time (variables, globs, loops, substitutions)
//  broken   not understood (syntax error, control characters, too long): `commands` might be incomplete

import { forEachChild, parse, type SyntaxNode, type Word } from "unbash";
import { messageOf } from "../../errors.ts";
import { MAX_COMMAND } from "../../journal/tool-facts.ts";

/** A word as the program receives it. Undefined if the value is known only at run time. */
export type ShellWord = string | undefined;

export interface ShellCommand {
  argv: readonly ShellWord[];
  /** True if variables are set for this command. They might change what it does. */
  assigns: boolean;
  /** True if the command's input comes from another command, a file or the script itself. */
  fed: boolean;
}

export interface ShellRedirect {
  operator: string;
  target: ShellWord;
}

export interface ParsedShell {
  grade: "exact" | "dynamic" | "broken";
  /** Why the grade is not `exact`. */
  why: string;
  /** True if the command is too long to be read, so that its commands are not listed at all. */
  isUnread?: true;
  commands: readonly ShellCommand[];
  /** Files that redirections open. Copies of descriptors and `/dev/null` are left out. */
  redirects: readonly ShellRedirect[];
  /** Other texts that might be executed: values of variables, and input of commands. */
  texts: readonly ShellText[];
}

export interface ShellText {
  text: string;
  /** Whether the text is a here-document or here-string. */
  isInput: boolean;
}

const MAX_COMMANDS = 50;

const PLAIN_NODES = new Set(
  "Script Statement AndOr Pipeline Command Word Literal SingleQuoted DoubleQuoted Redirect FileDescriptor".split(
    " ",
  ),
);

/** Characters that other parsers might treat as blanks or ignore. Bash and this parser must read the same text. */
const CONFUSING = /[^\t\n\P{C}]|[\p{Z}--\x20]/v;
const ASCII = /^[\t\n\x20-\x7e]*$/;

export function parseShell(source: string): ParsedShell {
  const reading: Reading = {
    ...{ commands: [], redirects: [], texts: [], spans: [], fed: new Set<SyntaxNode>() },
    ...{ broken: "", blurred: "" },
  };
  if (source.length > MAX_COMMAND) return unread(`longer than ${MAX_COMMAND} characters`);
  if (CONFUSING.test(source)) reading.broken ||= "control or invisible characters";
  if (!ASCII.test(source)) reading.blurred ||= "characters beyond ASCII";
  try {
    visit(parse(source), reading);
  } catch (error) {
    reading.broken ||= `the parser failed: ${messageOf(error)}`;
  }
  if (reading.commands.length > MAX_COMMANDS) reading.broken ||= `more than ${MAX_COMMANDS} commands`;
  if (reading.commands.length === 0) reading.broken ||= "no command found";
  if (!reading.blurred && hasUnaccountedText(source, reading.spans)) reading.broken ||= "unaccounted text";
  return {
    grade: reading.broken ? "broken" : reading.blurred ? "dynamic" : "exact",
    why: reading.broken || reading.blurred,
    commands: reading.commands,
    redirects: reading.redirects,
    texts: reading.texts,
  };
}

/** A command that is too long to be read. Nothing is known about it. */
const unread = (why: string): ParsedShell => ({
  grade: "broken",
  why,
  isUnread: true,
  commands: [],
  redirects: [],
  texts: [],
});

interface Reading {
  commands: ShellCommand[];
  redirects: ShellRedirect[];
  texts: ShellText[];
  spans: [number, number][];
  /** Commands that read from a pipe. */
  fed: Set<SyntaxNode>;
  /** `broken` says why the command cannot be understood. `blurred` says why it is not exact. Both contain only the first reason. */
  broken: string;
  blurred: string;
}

function visit(node: SyntaxNode, reading: Reading): void {
  // Substitutions are parsed lazily, so each nested script has its own list of errors.
  if ("errors" in node && node.errors?.length) reading.broken ||= `syntax: ${node.errors[0]!.message}`;
  if (!PLAIN_NODES.has(node.type)) reading.blurred ||= `contains ${nameOf(node.type)}`;
  if (node.type === "Pipeline") for (const piped of node.commands.slice(1)) reading.fed.add(piped);
  if (node.type === "Command") readCommand(node, reading);
  if (node.type === "Redirect") readRedirect(node, reading);
  if (node.type === "HereDoc") reading.texts.push({ text: node.body.text, isInput: true });
  if (node.type === "HereString" && node.target) readText(node.target, true, reading);
  if (node.type === "Assignment" && node.value.type === "Word") readText(node.value, false, reading);
  if (node.type === "Word" || node.type === "Redirect") reading.spans.push([node.pos, node.end]);
  if (node.type === "Word" && literal(node) === undefined) reading.blurred ||= "contains an expansion";
  forEachChild(node, (child) => visit(child, reading));
}

function readCommand(node: Extract<SyntaxNode, { type: "Command" }>, reading: Reading): void {
  if (!node.name) reading.blurred ||= "a command without a name";
  const words = node.name ? [node.name, ...node.args] : node.args;
  reading.commands.push({
    argv: words.map((word) => (word.type === "Word" ? literal(word) : undefined)),
    assigns: node.prefix.some((part) => part.type === "Assignment"),
    fed: reading.fed.has(node) || node.redirects.some(({ operator }) => operator.startsWith("<")),
  });
}

function readText(word: Word, isInput: boolean, reading: Reading): void {
  const text = literal(word);
  if (text) reading.texts.push({ text, isInput });
}

function readRedirect(node: Extract<SyntaxNode, { type: "Redirect" }>, reading: Reading): void {
  const target = node.target && literal(node.target);
  const copiesDescriptor = node.operator.endsWith("&") && target !== undefined && /^(\d+|-)$/.test(target);
  if (copiesDescriptor || target === "/dev/null") return;
  reading.redirects.push({ operator: node.operator, target });
}

/** The word as the program receives it. Undefined if the shell might expand a part of it. */
function literal(word: Word): ShellWord {
  if (!word.parts) return mayExpand(word.text) ? undefined : word.value;
  for (const part of word.parts) {
    if (part.type === "SingleQuoted") continue;
    if (part.type === "Literal" && !mayExpand(part.text)) continue;
    if (part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal")) continue;
    return undefined;
  }
  return word.value;
}

/** True if unquoted text has a character that bash might interpret. `\(`, `--flag=x`, `{}`, `HEAD~1` and `HEAD^` are plain. */
function mayExpand(text: string): boolean {
  if (text.includes("\\\n")) return true;
  const rest = text
    .replace(/\\./g, "")
    .replaceAll("{}", "")
    .replace(/^([\w./:@%+,-]+=)+/, "")
    .replace(/(?<=\w)[~^]/g, "");
  return /[$`~{}*?[\]()<>!^=#\\]/.test(rest);
}

/** True if there is text other than words, redirections and separators. A command could hide in such text. */
function hasUnaccountedText(source: string, spans: readonly [number, number][]): boolean {
  let at = 0;
  const ordered = [...spans].sort((a, b) => a[0] - b[0]);
  for (const [from, to] of [...ordered, [source.length, source.length] as const]) {
    if (from > at && !/^[ \t\n;&|]*$/.test(source.slice(at, from))) return true;
    at = Math.max(at, to);
  }
  return false;
}

const nameOf = (type: string): string => type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
