// Translates an external agent's call to the equivalent Cadre tool, so that the same rules cover Cadre's agents and external ones.
// A call without an equivalent is translated to `mcp__acp__other`, and a person must approve it.
// The functions are pure. They use what the program says about a call, without verifying it.

import { isAbsolute, relative } from "node:path";
import type { ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { FileChange } from "../journal/events.ts";
import { revealHidden } from "../journal/visible.ts";
import type { ProgramCall } from "../loop/programs/runner.ts";

/** Everything we know about a call: its first report, merged with all its updates. */
export type AcpCall = ToolCallUpdate & {
  /** Output of the call's command so far. */
  printed?: string;
};

export interface TranslateOptions {
  workspace: string;
  /** Name of the program. It is recorded as the source of the untrusted text that the program brings in. */
  program: string;
  /** Returns the preview of a file change, or undefined if the change is too long to show. */
  diff(path: string, before: string, after: string): string | undefined;
}

const MAX_INPUT = 20_000;
const MAX_PREVIEW = 200_000;

export function translateCall(known: AcpCall, as: TranslateOptions): ProgramCall {
  const named = equivalentCall(known, as);
  const { kind, title } = known;
  const input = { ...named.input, ...(title ? { title: clip(title, 500) } : {}) };
  const isOver = known.status === "completed" || known.status === "failed";
  return {
    id: known.toolCallId,
    name: named.name,
    input: limitInput(input),
    judged: named.judged ?? [named.input],
    effect: kind && READS.has(kind) ? "read" : "unsafe",
    ...previewParts(previewOf(known, named, as)),
    ...(isOver ? { result: resultOf(known, as) } : {}),
  };
}

/** A17: the preview reveals hidden characters. A call that the preview cannot show in full cannot be approved. */
function previewParts(whole: string): Pick<ProgramCall, "preview" | "isWhole"> {
  const text = revealHidden(whole);
  return { preview: clip(text, MAX_PREVIEW), isWhole: text.length <= MAX_PREVIEW };
}

const READS = new Set<string>(["read", "search", "think", "fetch"]);

type Input = Record<string, unknown>;
interface Named {
  name: string;
  input: Input;
  judged?: Input[];
}

function equivalentCall(known: AcpCall, as: TranslateOptions): Named {
  const raw = objectIn(known.rawInput);
  const paths = pathsOf(known, raw).map((path) => inWorkspace(path, as.workspace));
  const [path, second] = paths;
  switch (known.kind) {
    case "execute": {
      const command = commandIn(raw) ?? commandOf(known);
      return command === undefined ? otherCall(known, raw) : { name: "Bash", input: { command } };
    }
    case "read":
      return path === undefined ? otherCall(known, raw) : { name: "Read", input: { path } };
    case "search":
      return { name: "Grep", input: { pattern: textIn(raw, "pattern", "query") ?? "", path: path ?? "." } };
    case "edit": {
      if (path === undefined) return otherCall(known, raw);
      const name = diffsOf(known).length > 0 && diffsOf(known).every(isNew) ? "Write" : "Edit";
      const judged = paths.map((one) => ({ path: one }));
      return { name, input: { path, ...(paths.length > 1 ? { paths } : {}) }, judged };
    }
    case "delete":
      return path === undefined ? otherCall(known, raw) : shell("rm", paths);
    case "move":
      return second === undefined ? otherCall(known, raw) : shell("mv", paths);
    case "fetch": {
      const url = textIn(raw, "url", "uri");
      return url === undefined ? otherCall(known, raw) : { name: "WebFetch", input: { url } };
    }
    default:
      return otherCall(known, raw);
  }
}

/** Names the call like a tool of an unknown MCP server, so that a person is asked. The program's own MCP tools keep their names. */
function otherCall({ kind, name, title }: AcpCall, raw: Input): Named {
  const own = [name, title].find((one) => /^mcp__\w+__[\w-]+$/.test(one ?? ""));
  return { name: own ?? `mcp__acp__${kind ?? "other"}`, input: raw };
}

const shell = (program: string, paths: readonly string[]): Named => ({
  name: "Bash",
  input: { command: [program, "--", ...paths.map(quoteWord)].join(" ") },
});

const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The command, given as one string or as a list of words. For `bash -lc …` this is the script that bash runs. */
function commandIn(raw: Input): string | undefined {
  const command = raw["command"] ?? raw["cmd"];
  if (typeof command === "string") return command === "" ? undefined : command;
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === "string"))
    return undefined;
  const [program = "", flag = "", script] = command as string[];
  if (
    /(^|\/)(ba|z|da)?sh$/.test(program) &&
    /^-l?c$/.test(flag) &&
    script !== undefined &&
    command.length === 3
  )
    return script;
  return (command as string[]).map(quoteWord).join(" ");
}

/** If a call has no input (Gemini CLI), its title is the command, unless the title is truncated. */
const commandOf = ({ rawInput, title }: AcpCall): string | undefined =>
  rawInput === undefined && title && !/(…|\.{3})$/.test(title) ? title : undefined;

function pathsOf(known: AcpCall, raw: Input): string[] {
  const given = textIn(raw, "file_path", "abs_path", "path", "filePath", "notebook_path");
  const located = (known.locations ?? []).map(({ path }) => path);
  const changed = diffsOf(known).map(({ path }) => path);
  return [...new Set([...changed, ...located, ...(given === undefined ? [] : [given])])];
}

type Diff = Extract<ToolCallContent, { type: "diff" }>;

const diffsOf = ({ content }: AcpCall): Diff[] =>
  (content ?? []).filter((part): part is Diff => part.type === "diff");

const isNew = ({ oldText }: Diff): boolean => oldText === null || oldText === undefined;

function inWorkspace(path: string, workspace: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(workspace, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}

function previewOf(known: AcpCall, { name, input }: Named, { diff, workspace }: TranslateOptions): string {
  const diffs = diffsOf(known).map(
    ({ path, oldText, newText }) =>
      diff(inWorkspace(path, workspace), oldText ?? "", newText) ?? `${path}: too long to be shown`,
  );
  if (diffs.length > 0) return diffs.join("\n");
  if (name === "Bash") return String(input["command"]);
  return [known.title ?? "", JSON.stringify(input, null, 2)].join("\n").trim();
}

function resultOf(
  known: AcpCall,
  { workspace, program }: TranslateOptions,
): NonNullable<ProgramCall["result"]> {
  const isError = known.status === "failed";
  const files = isError
    ? []
    : diffsOf(known).map(
        (change): FileChange => ({
          path: inWorkspace(change.path, workspace),
          change: isNew(change) ? "created" : "modified",
        }),
      );
  const isForeign = known.kind === "fetch" || known.kind === "other" || !known.kind;
  return { output: outputOf(known), isError, files, untrusted: isForeign ? `acp ${program}` : undefined };
}

function outputOf({ content, rawOutput, printed }: AcpCall): string {
  const texts = (content ?? []).flatMap((part) =>
    part.type === "content" && part.content.type === "text" ? [part.content.text] : [],
  );
  if (texts.length > 0) return texts.join("\n");
  if (printed !== undefined) return printed;
  if (rawOutput === undefined || rawOutput === null) return "";
  return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput);
}

const objectIn = (value: unknown): Input =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Input) : {};

function textIn(raw: Input, ...names: string[]): string | undefined {
  const value = names.map((name) => raw[name]).find((one) => typeof one === "string" && one !== "");
  return value as string | undefined;
}

/** Replaces an input that is too long for a person to read. A shortened input must not look like the real call. */
function limitInput(input: Input): Input {
  const json = JSON.stringify(input);
  return json.length <= MAX_INPUT ? input : { clipped: clip(json, MAX_INPUT) };
}

const clip = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
