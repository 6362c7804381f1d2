// A pattern's declaration: every fact about the pattern that is not a decision of a run.
// Agent files, the journal and the page all take their lists of patterns from the declarations.
// A declaration also runs in a browser, and imports nothing from layers above the journal. The decisions are in `src/patterns/<name>.ts`.

import type { z } from "zod";
import type { Finding } from "./finding.ts";
import type { RunCost } from "./run-cost.ts";

/**
 * The stage of a run at which a pattern acts. `before` is the stage before the agent's own work, and `work` is the work itself.
 * `route` passes the request to another agent, and `after` follows the answer.
 * Only one pattern can do the agent's work. A router does no work itself.
 */
export type Stage = "before" | "work" | "route" | "after";

export interface PatternDeclaration<
  Key extends string,
  Input extends z.ZodType,
  Pinned extends z.ZodType,
  Trigger extends string,
  Fields extends readonly string[],
> {
  /** The key in an agent's file that turns the pattern on. */
  readonly key: Key;
  readonly stage: Stage;
  /** Schema of the key in an agent's file, including its description. */
  readonly input: Input;
  /** Schema of the key in the definition that a run pins. All defaults are filled in. */
  readonly pinned: Pinned;
  /** Converts the key from the file's form to the pinned form. Undefined if a problem was reported. */
  pin(written: z.output<Input>, context: PinContext): z.output<Pinned> | undefined;
  /** Fields that name agents, in the file and in the pinned form. If the key has no fields in the file, its list or text names the agents. */
  readonly agentFields: Fields;
  /** True if no other product has this key. So a file that has the key was written for Cadre. */
  readonly isOnlyOurs: boolean;
  /** How the pattern's children are started and described. Undefined if the pattern itself starts no children. */
  readonly trigger: TriggerDeclaration<Trigger> | undefined;
  /** How a diagram draws and describes the arrow to an agent that the pattern names. */
  readonly edge: EdgeWords;
  /**
   * The source of the run's answer: the agent itself, its children, the pattern, or the target that the pattern names.
   * If it is the pattern, its result is always the answer, even if the agent is not allowed to answer itself.
   */
  readonly answer: "own" | "children" | "pattern" | "target";
  /** The most runs, turns and dollars that the pattern could add to one run. */
  worstCase(own: z.output<Pinned>, costs: PatternCosts): RunCost;
  /** Finds problems that can be seen only when all agents are checked together. */
  check(own: z.output<Pinned>, agent: CheckedDefinition, set: CheckedSet): Iterable<Finding>;

  /** Other patterns that this pattern cannot be combined with, and why. Patterns of the same stage need not be listed. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** The tools that an agent with this pattern is allowed to call itself. Default: every tool that the agent's file allows. */
  readonly ownTools?: { readonly may: "none" | "read"; readonly why: string };
  /** The most model turns that the run itself needs. Default: the run's limit of turns. */
  readonly ownTurns?: number;
  /** The most turns that one child can take. */
  childTurns?(own: z.output<Pinned>): number;
  /** The agents that the run's model chooses from. Default: the agents in `agents`. */
  choices?(own: z.output<Pinned>): readonly string[];
  /** True if this value of the key means all agents that the file lists in `agents`. */
  takesDelegates?(written: unknown): boolean;
  /** True if the agent is allowed to give the answer itself, in place of its target. */
  mayAnswer?(own: z.output<Pinned>): boolean;
  /** A section of the system prompt. */
  guidance?(own: z.output<Pinned>, delegates: readonly GuidedDelegate[]): string;
}

export interface TriggerDeclaration<Name extends string> {
  /** Name of the trigger in the journal. */
  readonly name: Name;
  /** The child's part in the pattern, shown beside its agent's name. `slot` is the key under which the child was started. */
  part(slot: string): string;
  /** The child's badge in its parent's timeline. `start` is the text before the child's name. `what` is the noun for the child when it ends. */
  badge(slot: string): { start: string; what: string };
  /** Why the child was started. The text completes a sentence. */
  reason(agent: string): string;
  /** True if the child finishes its parent's work. The parent then makes no further model call. */
  readonly takesOver: boolean;
  /** True if the parent only waits for the child's end. */
  readonly closesParent?: true;
  /** True if the pattern can replace the output schema of the child's agent. */
  readonly setsOutput?: true;
}

export interface EdgeWords {
  /** The verb in a sentence such as `worker delegates to editor`. */
  readonly verb: string;
  /** The text beside the arrow in a diagram. */
  readonly label: string;
  /** The explanation in the diagram's legend. */
  readonly meaning: string;
  readonly line: { readonly width: number; readonly dash?: string };
}

export interface PinContext {
  /** The value of `agents` in the file. */
  agents?: readonly string[] | null | undefined;
  /** The path and the hash of the module beside the agent's file. */
  module?: { module: string; hash: string } | undefined;
  /** True if the file has the key `subagents`, which is otherwise another name of `agents`. */
  hasSubagents: boolean;
  /** What a handoff passes on if the file does not say. */
  handoffPass?: "request+result" | "result" | undefined;
  reportError(problem: { code: string; message: string; suggestion: string }): void;
}

/** `self` is the cost of one run of the agent alone. `below` has, for each named agent, the cost of one run with all runs below it. */
export interface PatternCosts {
  self: RunCost;
  below: readonly RunCost[];
}

/** The parts of a definition that a check reads. This folder must not import the journal's type `Definition`, because that type imports this folder. */
export interface CheckedDefinition {
  readonly agents: readonly string[];
  readonly tools: { readonly allow?: readonly string[] | undefined };
  readonly delegable?: false | undefined;
  readonly finalizes?: false | undefined;
}

export interface CheckedSet {
  find(agent: string): CheckedDefinition | undefined;
  /** The keys with which an agent lets another agent answer in its place. */
  keysGivingAnswerAway(agent: string): readonly string[];
}

export interface GuidedDelegate {
  name: string;
  description: string;
}

/** The declaration of any pattern, whose types are not known. */
export type AnyDeclaration = PatternDeclaration<string, z.ZodType, z.ZodType, string, readonly string[]>;

/** Makes the compiler check that a declaration is complete, and keeps the declaration's literal types. */
export const declarePattern = <
  const Key extends string,
  Input extends z.ZodType,
  Pinned extends z.ZodType,
  const Fields extends readonly (keyof z.output<Pinned> & string)[],
  const Trigger extends string = never,
>(
  declaration: PatternDeclaration<Key, Input, Pinned, Trigger, Fields>,
): PatternDeclaration<Key, Input, Pinned, Trigger, Fields> => declaration;
