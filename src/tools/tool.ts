// The contract of a tool. A tool does one thing in the world. Its effect class says how often that may happen, and so decides
// what a crash in the middle of a call means (P4).

import type { z } from "zod";
import type { Effect } from "../journal/definition.ts";
import type { FileChange } from "../journal/events.ts";
import type { ToolFacts } from "../journal/tool-facts.ts";

export interface ToolContext {
  /** Absolute path of the folder that the run works in. */
  workspace: string;
  runId: string;
  parentRunId?: string;
  callId: string;
  attempt: number;
  /** Effect of this call as the permissions judged it; absent: the tool's own. */
  effect?: Effect;
  /** A person has approved exactly this call. */
  approved?: true;
  /** The same for every attempt at this call. An `idempotent` tool passes it on or checks it. */
  key: string;
  /** A new random value for the mark around untrusted text (`journal/untrusted.ts`). */
  nonce(): string;
  /** The tool's `fingerprints`, as recorded before the first attempt began. */
  fingerprints?: Fingerprints;
  /** Whether the rules let this call show a path of the workspace. A search must skip files that are denied. */
  mayShow?: (path: string) => boolean;
  /** Aborted on cancel, at the time limit and at shutdown. The tool stops and leaves no process behind. */
  signal: AbortSignal;
  /** Shows output to people while it arrives. Never stored. */
  progress?: (text: string) => void;
}

export interface ToolAnswer {
  /** Text or a JSON value for the model. */
  output: unknown;
  isError?: boolean;
  /** The whole output, if it is too long for the context. `output` then holds its head and tail. */
  full?: string;
  /** Total bytes of the output, if not even `full` holds all of them. */
  size?: number;
  files?: FileChange[];
  /** The file that the model has seen now. A later change is stale if the file differs by then. */
  seen?: { path: string; fingerprint: string };
  /** Source of untrusted text in the output: `https://example.com`, `loki`, `mcp github`. It taints the run. */
  untrusted?: string;
  /** The sandbox that it ran in, or `none`. */
  sandbox?: string;
  /** Nothing was done, because the target has changed since the call was prepared. */
  stale?: boolean;
}

/** State of a file before and after the call. A later attempt uses it to recognise its own work. */
export interface Fingerprints {
  /** Path of the file, relative to the workspace. */
  path: string;
  before: string;
  after: string;
}

export interface Preview {
  /** Shown to a person before approving: a diff or a command. It comes from the input alone, never from the model's explanation. */
  text: string;
  /** Changes when the effect of the call would change, for example with a file's content. Same input and fingerprint, same effect. */
  fingerprint?: string;
  /** The file's text before and after. Shown to people who want to see all of it, never recorded. */
  change?: { before: string; after: string };
}

/** Context of a probe, which only reads. */
export interface ProbeContext extends Pick<ToolContext, "workspace" | "signal"> {
  /** When the attempt began, in milliseconds since 1970. */
  startedAt: number;
  /** Whether the rules let a path of the workspace be read. */
  mayShow(path: string): boolean;
}

export interface ProbeResult {
  found: "done" | "not_done" | "cannot_tell";
  /** Sentences for a person: what the probe saw, and why that is conclusive or not. */
  evidence: string[];
}

/** `reaches` is required: a tool that reaches nothing says so with `[]`. */
export interface Tool<Input = unknown> extends ToolFacts {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  effect: Effect;
  /** It finds files that its input does not name, and shows each only if `mayShow` allows it. */
  searches?: boolean;
  /** Time limit in milliseconds, in place of the general one. */
  timeout?: number;
  /** The project has not configured it. Only agents that name the tool are offered it, and its answer says what is missing. */
  idle?: boolean;
  /** The JSON Schema for models, if it is not made from `input`. */
  schema?: Readonly<Record<string, unknown>>;
  /** Other names that agent files use for it. */
  aliases?: readonly string[];
  /** Must not throw for anything that the model or the world did; it answers with `isError` instead. */
  execute(input: Input, context: ToolContext): Promise<ToolAnswer>;
  preview?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Preview>;
  /** Undefined if the call would change nothing. */
  fingerprints?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Fingerprints | undefined>;
  /** PB2: checks whether an interrupted call took effect. It only reads, and starts no program that the workspace names. */
  probe?(input: Input, context: ProbeContext): Promise<ProbeResult>;
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** A tool of any input type, for lists and maps. The input is validated before `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of every input type
export type AnyTool = Tool<any>;
