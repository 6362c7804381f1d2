// The contract of a tool. Its effect class says how often a call can safely be performed.
// The effect class decides what happens after a crash in the middle of a call (P4).

import type { z } from "zod";
import type { Effect, PinnedSkill } from "../journal/definition.ts";
import type { BackgroundFacts, FileChange, FileChanges } from "../journal/events.ts";
import type { ToolFacts } from "../journal/tool-facts.ts";
import type { UndoStep, Version } from "../projections/folds/undo-plan.ts";

export interface ToolContext {
  /** Absolute path of the folder that the run works in. */
  workspace: string;
  runId: string;
  parentRunId?: string;
  callId: string;
  attempt: number;
  /** The effect of this call, as the permissions judged it. The default is the tool's own effect. */
  effect?: Effect;
  /** True if a person has approved exactly this call. */
  approved?: true;
  /** This key is the same for every attempt of the call. An `idempotent` tool passes the key on or checks it. */
  key: string;
  /** A new random value for the mark around untrusted text (`journal/untrusted.ts`). */
  nonce(): string;
  /** The fingerprints that were recorded before the first attempt began. */
  fingerprints?: Fingerprints;
  /** The files that the model has read, by path, with the fingerprint of what it read. */
  seenFiles?: ReadonlyMap<string, string>;
  /** Whether the rules allow this call to show a path of the workspace. A search must skip denied files. */
  mayShow?: (path: string) => boolean;
  /** Masks the text of a whole file and keeps its lines. A tool that shows or searches a part of a file masks all of it first (A71). */
  mask?: (text: string) => string;
  /** Returns the whole output of an earlier call of this run, by its name. The shortened output of that call contains the name. */
  savedOutput?: (name: string) => Promise<SavedOutput | undefined>;
  /** The skills that the agent can load. */
  skills?: readonly PinnedSkill[];
  /** Records on this machine when the call begins and how it ends. Only for tools that declare `notes`. */
  notes?: CallNotes;
  /** Background commands of this run and of the runs that it continues. Commands whose end the run has already seen are left out. */
  background?: () => Promise<ReadonlyMap<string, BackgroundCommand>>;
  /** Aborted on cancel, at the time limit and at shutdown. The tool must then stop and leave no process behind. */
  signal: AbortSignal;
  /** Shows output to people while it arrives. This output is never stored. */
  progress?: (text: string) => void;
}

/** Records for use after a crash: whether a call has begun, and its answer. */
export interface CallNotes {
  /** The tool awaits this right before the call can have its first effect. If `begin` fails, the tool must not start. */
  begin(): Promise<void>;
  /** The tool calls this as soon as the answer is certain. */
  end(answer: ToolAnswer): void;
}

export interface SavedOutput {
  text: string;
  /** The untrusted source of text in the output. */
  untrusted?: string | undefined;
}

export interface BackgroundCommand {
  /** The run that started the command. */
  runId: string;
  command: string;
  /** Position in the command's output up to which the agent has seen it. */
  upTo: number;
}

/** Access to the background commands of all runs. */
export interface BackgroundCommands {
  /** How a command is doing. `text` completes a sentence about it, such as "is still running". */
  look(runId: string, id: string): Promise<{ isOver: boolean; text: string }>;
  /** The part of the output that is still kept. Undefined if nothing is kept. */
  output(runId: string, id: string): Promise<string | undefined>;
  /** Ends the commands of an ended run, except commands that were started to outlive it. Resolves when they have ended. */
  stopRun(runId: string): Promise<void>;
  /** Ends the commands of all runs that ended while no Cadre process was running. */
  sweep(hasEnded: (runId: string) => Promise<boolean>): Promise<void>;
}

/** Watches the files of workspaces while calls change them, and puts them back for `cadre undo`. */
export interface WorkspaceFiles extends FileWatcher {
  /** Whether the file decides what Cadre runs. On a server with users, only an admin takes back changes of such a file. */
  isProtected(workspace: string, path: string): boolean;
  /** The current versions of these paths. Undefined if the workspace does not exist on this machine. */
  versions(workspace: string, paths: readonly string[]): Promise<Map<string, Version> | undefined>;
  /**
   * Puts versions back, in this order. Replaced files are moved to a folder of the workspace, whose path is returned.
   * `note` is a text for people that is kept with them.
   */
  restore(
    workspace: string,
    steps: readonly UndoStep[],
    options: { note: string; bytesOf(blob: string): Promise<Uint8Array | undefined> },
  ): Promise<{ results: Restored[]; aside: string }>;
}

/** Ends the watch, and returns the changes. Undefined if there are none. Never rejects. */
export type EndWatch = () => Promise<FileChanges | undefined>;

export interface FileWatcher {
  /**
   * Call this before a call that can change files. Never rejects.
   * `path` is the only path that the call can change, if that is known.
   * `earlier` are the fingerprints of an attempt of the same call that was cut off. If that attempt changed the file, its change is recorded too.
   */
  watch(workspace: string, path?: string, earlier?: { before: string; after: string }): Promise<EndWatch>;
}

/**
 * `changed`: another process changed the path since the plan was made. `full`: the folder holds files of others, so it stays.
 * `lost`: the earlier version is missing in the store, so nothing changed.
 */
export type Restored = "restored" | "changed" | "full" | "lost";

export interface ToolAnswer {
  /** Text or a JSON value for the model. */
  output: unknown;
  isError?: boolean;
  /** The whole output, if it is too long for the context. In that case `output` contains only the head and the tail. */
  full?: string;
  /** Number of bytes in the whole output. `full` might contain only a part of them. */
  size?: number;
  /** Number of bytes of the output that were not kept. `full` lacks them. */
  lost?: number;
  /** Images and PDFs for the model. `output` says what they are. */
  attachments?: { name: string; bytes: Uint8Array }[];
  files?: FileChange[];
  /** The file that the model has just seen. A later change is refused if the file no longer has this fingerprint. */
  seen?: SeenFile;
  /** Files that the model had read and that this call has changed. */
  ownChanges?: SeenFile[];
  /** Source of untrusted text in the output: `https://example.com`, `loki`, `mcp github`. The text taints the run. */
  untrusted?: string;
  /** The sandbox that the call ran in, or `none`. */
  sandbox?: string;
  /** Says that a background command was started, how much of its output was shown, or that it has ended. */
  background?: BackgroundFacts;
  /** True if nothing was done, because the target changed after the call was prepared. */
  stale?: boolean;
}

export interface SeenFile {
  path: string;
  fingerprint: string;
}

/** Fingerprints of a file before and after the call. They show a later attempt whether an earlier attempt has done the work. */
export interface Fingerprints {
  /** Path of the file, relative to the workspace. */
  path: string;
  before: string;
  after: string;
}

export interface Preview {
  /** A diff or a command that a person sees before approving the call. It is built from the input, never from the model's explanation. */
  text: string;
  /** A value that differs whenever the call would have a different effect. The same input and fingerprint mean the same effect. */
  fingerprint?: string;
  /** The file's text before and after the call, for people who want to see all of it. It is never recorded. */
  change?: { before: string; after: string };
}

/** Context of a probe. A probe only reads. */
export interface ProbeContext
  extends Pick<ToolContext, "workspace" | "signal" | "runId" | "callId" | "attempt"> {
  /** When the attempt began, in milliseconds since 1970. */
  startedAt: number;
  /** Whether the rules allow reading a path of the workspace. */
  mayShow(path: string): boolean;
}

export interface ProbeResult {
  found: "done" | "not_done" | "cannot_tell";
  /** Sentences for a person: what the probe has found, and whether that is conclusive. */
  evidence: string[];
  /** PB5: the effect can only come from this call, so no person needs to look. */
  isProof?: true;
}

/** `reaches` is required. A tool that reaches nothing declares `[]`. */
export interface Tool<Input = unknown> extends ToolFacts {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  effect: Effect;
  /** True if the tool records when a call begins and how it ends (`CallNotes`). */
  notes?: true;
  /** True if the tool finds files that its input does not name. The tool shows such a file only if `mayShow` allows this. */
  searches?: boolean;
  /** Time limit in milliseconds. The default is the general limit. */
  timeout?: number;
  /** True if the project has not configured the tool. Cadre offers it only to agents that name it, and its answer says what to configure. */
  idle?: boolean;
  /** A group that agents name as they name an MCP server. An agent without a list of tools needs `mcpServers: [group]`. A server of that name replaces the group. */
  group?: string;
  /** True if Cadre offers the tool only to agents that have skills. */
  needsSkills?: true;
  /** The JSON Schema for models. By default, it is generated from `input`. */
  schema?: Readonly<Record<string, unknown>>;
  /** Other names that agent files use for the tool. */
  aliases?: readonly string[];
  /** Must not throw if the model or the outside world is at fault. Instead, the tool answers with `isError`. */
  execute(input: Input, context: ToolContext): Promise<ToolAnswer>;
  preview?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Preview>;
  /** Returns undefined if the call would change nothing. */
  fingerprints?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Fingerprints | undefined>;
  /** Checks whether an interrupted call took effect (PB2). The probe only reads, and starts no program that the workspace names. */
  probe?(input: Input, context: ProbeContext): Promise<ProbeResult>;
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** Type for lists and maps of tools with different inputs. The input is validated before `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of every input type
export type AnyTool = Tool<any>;
