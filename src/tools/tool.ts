// The contract of a tool. A tool does one thing in the world and says how often that may happen: its effect class
// decides what a crash in the middle of it means (P4).

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
  /** What the call was judged to be; absent where nobody judged it: the tool's own. */
  effect?: Effect;
  /** A person has looked at this very call and said yes. */
  approved?: true;
  /** The same for every attempt at this call: an `idempotent` tool hands it on or checks it. */
  key: string;
  /** For the mark around text that nobody here wrote (`journal/untrusted.ts`): new each time, and not to be guessed. */
  nonce(): string;
  /** As they were recorded before the first attempt began: of a tool that says them. */
  fingerprints?: Fingerprints;
  /** Whether the rules let this call show what is at a path of the workspace: a search of a folder meets files that are denied. */
  mayShow?: (path: string) => boolean;
  /** Aborted at cancel, at the time limit and at shutdown: stop, and leave no process behind. */
  signal: AbortSignal;
  /** Output while it comes, for people who watch. Never stored. */
  progress?: (text: string) => void;
}

export interface ToolAnswer {
  /** What the model reads: text, or a JSON value. */
  output: unknown;
  isError?: boolean;
  /** More than fits the context; `output` then holds its head and tail, and the whole is kept by reference. */
  full?: string;
  /** Bytes that there were in all, where not even `full` has them. */
  size?: number;
  files?: FileChange[];
  /** The file that the model now knows: a change that it makes later is stale if the file is another by then. */
  seen?: { path: string; fingerprint: string };
  /** Where words come from that nobody here wrote: `https://example.com`, `loki`, `mcp github`. The run is tainted from then on. */
  untrusted?: string;
  /** The sandbox that it ran in, `none` for none. */
  sandbox?: string;
  /** The thing that the call rests on has changed since it was looked at: nothing was done. */
  stale?: boolean;
}

/** What a call finds and what it leaves behind: by these a later attempt tells its own work from another's. */
export interface Fingerprints {
  /** Of the file, from the workspace. */
  path: string;
  before: string;
  after: string;
}

export interface Preview {
  /** What a person sees before saying yes: a diff, a command. Drawn from the input alone, never from the model's words. */
  text: string;
  /** Changes when what the call would do changes: for files, their content now. Same input and fingerprint, same effect. */
  fingerprint?: string;
  /** Of a change of a file: its text now, and then. Shown to who wants to see all of it, never recorded. */
  change?: { before: string; after: string };
}

/** What a probe may use: less than a call, as it changes nothing. */
export interface ProbeContext extends Pick<ToolContext, "workspace" | "signal"> {
  /** When the attempt began, in milliseconds since 1970. */
  startedAt: number;
  /** Whether the rules let a path of the workspace be read. */
  mayShow(path: string): boolean;
}

export interface ProbeResult {
  found: "done" | "not_done" | "cannot_tell";
  /** Sentences for a person: what was seen, and why it can be told or not. */
  evidence: string[];
}

/** `reaches` is required: a tool that reaches nothing says so with `[]`. */
export interface Tool<Input = unknown> extends ToolFacts {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  effect: Effect;
  /** Comes upon files that its input does not name: each is shown only if `mayShow` says so. */
  searches?: boolean;
  /** Milliseconds, where the general limit does not fit. */
  timeout?: number;
  /** The project has set up nothing for it: only an agent that names it is offered it, and told what is missing. */
  idle?: boolean;
  /** The JSON Schema that models are told, where it is not made from `input`. */
  schema?: Readonly<Record<string, unknown>>;
  /** Other names that agent files use for it. */
  aliases?: readonly string[];
  /** Contract: must not throw for anything the model or the world did; that is an answer with `isError`. */
  execute(input: Input, context: ToolContext): Promise<ToolAnswer>;
  preview?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Preview>;
  /** Undefined where it would change nothing. */
  fingerprints?(input: Input, context: Pick<ToolContext, "workspace">): Promise<Fingerprints | undefined>;
  /** PB2: looks whether a call took effect whose end nobody saw. Contract: only reads, and starts nothing that the workspace names. */
  probe?(input: Input, context: ProbeContext): Promise<ProbeResult>;
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** A tool whose input type nobody needs any more: in lists and maps. The input is validated before `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of every input type
export type AnyTool = Tool<any>;
