// Facts that each tool declares about itself in its own file: what a call can reach, and which input field names its target.
// Other code reads these facts instead of the tool's name. Cadre assumes that a tool without facts can reach everything.

import { POWERS, type Power } from "./blast-radius.ts";

/** The kinds of things that a tool can reach. `runtime` means that it starts or stops runs, for which the rules of the calling run also apply. */
export type Reach = Power | "runtime";

/** The target of a call, and the input field that names it. Permission rules are matched against this target. */
export type ToolTarget =
  /** A shell command: `Bash(npm test)`. `typed` means that the text goes into a running program, so the call is never read-only. */
  | { kind: "command"; field: string; typed?: true }
  /**
   * A path of the workspace: `Read(.env)`, `Edit(src/**)`. `lists`: the tool shows names, never the content of a file.
   * A tool that `changes` a file is judged as if it also reads the file. A `blind` tool is not: its answer shows nothing of the file's content.
   */
  | { kind: "path"; field: string; use: "reads" | "lists" | "changes"; blind?: true }
  /** An address: `WebFetch(https://example.com/**)`. */
  | { kind: "url"; field: string }
  /** One thing with a name, such as a service or an agent: `restart_service(api)`. */
  | { kind: "name"; field: string };

export interface ToolFacts {
  /** The kinds of things that a call can change or contact. Empty if the tool only shows information that the run has anyway. */
  reaches: readonly Reach[];
  /** The hosts that the tool contacts, in words for a person. If a tool with `network` has no such text, it can contact any host. */
  hosts?: readonly string[];
  /** The target of a call. If absent, rules match every text in the input. */
  target?: ToolTarget;
  /** The call needs approval unless a rule allows it, whatever the tool reaches. */
  asks?: boolean;
  /** A shell command with the same effect. A deny rule of Bash that covers this command also covers the tool. */
  sameAs?: string;
  /** The tool that this one belongs to. Agents that have that tool have this one too, unless their file denies it. */
  partOf?: string;
  /** The MCP server that provides the tool. */
  server?: string;
}

/** A tool as permission rules see it. */
export interface NamedTool {
  name: string;
  target?: ToolTarget | undefined;
}

/** A tool's facts before they are checked. The tool might be written in plain JavaScript, so every value must be checked. */
export type DeclaredFacts = { readonly [Key in keyof ToolFacts]?: ToolFacts[Key] | undefined };

/** Looks up a tool's facts by its own name. Undefined for an unknown tool. */
export type FindFacts = (tool: string) => DeclaredFacts | undefined;

/** The host and port that a call would contact. Empty if the input names none. Undefined if the tool has no `url` target. */
export function requestedHost(target: ToolTarget | undefined, input: unknown): string | undefined {
  if (target?.kind !== "url") return undefined;
  const url = ((input ?? {}) as Record<string, unknown>)[target.field];
  return typeof url === "string" ? hostOf(url) : "";
}

/** The host and port of an address. Empty if the address cannot be parsed. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

const EVERYTHING: readonly Reach[] = [...POWERS, "runtime"];

/** Everything that a tool can reach. If the tool's declaration is missing or invalid, it can reach everything. */
export const reachOf = (tool: DeclaredFacts | undefined): readonly Reach[] =>
  declaresReach(tool) ? tool.reaches : EVERYTHING;

export function declaresReach(tool: DeclaredFacts | undefined): tool is DeclaredFacts & ToolFacts {
  const declared: unknown = tool?.reaches;
  return Array.isArray(declared) && declared.every((reach) => EVERYTHING.includes(reach));
}

export const canReach = (tool: DeclaredFacts | undefined, ...any: readonly Reach[]): boolean =>
  reachOf(tool).some((reach) => any.includes(reach));

/** Selects the powers of a tool that a blast radius shows. */
export const powersOf = (tool: DeclaredFacts | undefined): Power[] =>
  POWERS.filter((power) => canReach(tool, power));

/** Whether a tool only starts or stops runs. The calls of those runs are judged separately. */
export const reachesOnlyRuns = (tool: DeclaredFacts | undefined): boolean =>
  reachOf(tool).length > 0 && reachOf(tool).every((reach) => reach === "runtime");

/** Characters of the longest command that is judged. A longer command needs approval. */
export const MAX_COMMAND = 8_192;

/** Characters of the longest path, address or name that a call can have as its target. Linux opens no longer path. */
export const MAX_PATH = 4_096;

/** Says why a call's target is too long to be judged. */
export function lengthProblem({ kind }: ToolTarget, text: string): string | undefined {
  const most = kind === "command" ? MAX_COMMAND : MAX_PATH;
  return text.length > most ? `longer than ${most} characters` : undefined;
}

/** Returns the text in the input field that names the tool's target. If the field contains no text, returns "". */
export function targetText(target: ToolTarget | undefined, input: unknown): string {
  const value = target && ((input ?? {}) as Record<string, unknown>)[target.field];
  return typeof value === "string" ? value : "";
}

/** Whether a call's answer can show the content of the file that the call names. */
export const showsContent = (target: ToolTarget | undefined): boolean =>
  target?.kind === "path" && (target.use === "reads" || (target.use === "changes" && !target.blind));
