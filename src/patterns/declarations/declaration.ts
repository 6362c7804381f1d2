// A pattern's declaration: every fact about the pattern that is not a decision of a run.
// Everything that lists patterns reads the declarations, from agent files and the journal to the page.
// A declaration runs in a browser and imports nothing from above the journal. The decisions are in `src/patterns/<name>.ts`.

import type { z } from "zod";
import type { Finding } from "./finding.ts";
import type { RunCost } from "./run-cost.ts";

/**
 * The stage of a run at which a pattern acts. `before` is before the agent's own work, and `work` is that work.
 * `route` passes the request to another agent, and `after` follows the answer.
 * Only one pattern can do the work, and a router does none.
 */
export type Stage = "before" | "work" | "route" | "after";

export interface PatternDeclaration<
  Key extends string,
  Input extends z.ZodType,
  Pinned extends z.ZodType,
  Trigger extends string,
  Fields extends readonly string[],
> {
  /** The key of an agent's file that asks for the pattern. */
  readonly key: Key;
  readonly stage: Stage;
  /** Schema of the key in an agent's file, with its description. */
  readonly input: Input;
  /** Schema of the key in the definition that a run pins: every default filled in. */
  readonly pinned: Pinned;
  /** Turns the key as written into the pinned form. Undefined: a problem was reported. */
  pin(written: z.output<Input>, context: PinContext): z.output<Pinned> | undefined;
  /** Fields that name agents, both in the file and in the pinned form. If the file has no fields, its list or text names them. */
  readonly agentFields: Fields;
  /** No other product has this key, so a file that has it was written for Cadre. */
  readonly isOnlyOurs: boolean;
  /** How the pattern's children are started and described. Undefined: the pattern starts no children by itself. */
  readonly trigger: TriggerDeclaration<Trigger> | undefined;
  /** The drawing and the wording of the arrow to an agent that the pattern names. */
  readonly edge: EdgeWords;
  /**
   * Source of the run's answer: the agent itself, its children, the pattern, or the target that the pattern names.
   * The result of a `pattern` counts whether or not the agent may answer itself.
   */
  readonly answer: "own" | "children" | "pattern" | "target";
  /** The most that the pattern could start in one run, beside the run itself. */
  worstCase(own: z.output<Pinned>, costs: PatternCosts): RunCost;
  /** Problems that only the whole set of agents shows. */
  check(own: z.output<Pinned>, agent: CheckedDefinition, set: CheckedSet): Iterable<Finding>;

  /** Other patterns that this one cannot be combined with, and why. Patterns of the same stage need not be listed. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** The tools that an agent with this pattern may call itself. Absent: all that its file allows. */
  readonly ownTools?: { readonly may: "none" | "read"; readonly why: string };
  /** The most model turns that the run itself needs. Absent: as many as its limits allow. */
  readonly ownTurns?: number;
  /** The most turns of one child. */
  childTurns?(own: z.output<Pinned>): number;
  /** The agents that the run's model chooses from. Absent: those in `agents`. */
  choices?(own: z.output<Pinned>): readonly string[];
  /** Whether this key, as written, means the agents that the file lists in `agents`. */
  takesDelegates?(written: unknown): boolean;
  /** Whether the agent may answer itself, although its target usually does. */
  mayAnswer?(own: z.output<Pinned>): boolean;
  /** A section of the system prompt. */
  guidance?(own: z.output<Pinned>, delegates: readonly GuidedDelegate[]): string;
}

export interface TriggerDeclaration<Name extends string> {
  /** Name of the trigger in the journal. */
  readonly name: Name;
  /** The child's part in the pattern, shown beside its agent's name. `slot`: the key under which it was started. */
  part(slot: string): string;
  /** The child's badge in its parent's timeline: before its name when it starts, and the noun when it ends. */
  badge(slot: string): { start: string; what: string };
  /** Why the child was started, as the rest of a sentence. */
  reason(agent: string): string;
  /** Whether the child does the rest of its parent's work. The parent then makes no further model call. */
  readonly takesOver: boolean;
  /** Once such a child has started, its parent only waits for the child's end. */
  readonly closesParent?: true;
  /** The pattern may ask a child for an answer of another form than its agent's file does. */
  readonly setsOutput?: true;
}

export interface EdgeWords {
  /** The verb in a sentence such as `worker delegates to editor`. */
  readonly verb: string;
  /** Text on the line of a drawing. */
  readonly label: string;
  /** Explanation in the legend. */
  readonly meaning: string;
  readonly line: { readonly width: number; readonly dash?: string };
}

export interface PinContext {
  /** The value of `agents` in the file. */
  agents?: readonly string[] | null | undefined;
  /** The module beside the file, as it was read. */
  module?: { module: string; hash: string } | undefined;
  reportError(problem: { code: string; message: string; suggestion: string }): void;
}

/** `self`: one run of the agent alone. `below`: one run of each agent that the key names, with all of its descendants. */
export interface PatternCosts {
  self: RunCost;
  below: readonly RunCost[];
}

/** The parts of a definition that a check reads. The journal's `Definition` has them, and is declared above this folder. */
export interface CheckedDefinition {
  readonly agents: readonly string[];
  readonly tools: { readonly allow?: readonly string[] | undefined };
  readonly delegable?: false | undefined;
  readonly finalizes?: false | undefined;
}

export interface CheckedSet {
  find(agent: string): CheckedDefinition | undefined;
  /** The keys by which an agent's answer is another agent's. */
  keysGivingAnswerAway(agent: string): readonly string[];
}

export interface GuidedDelegate {
  name: string;
  description: string;
}

/** Any declaration, with all types unknown. */
export type AnyDeclaration = PatternDeclaration<string, z.ZodType, z.ZodType, string, readonly string[]>;

/** Checks that a declaration is complete and keeps its literal types. */
export const declarePattern = <
  const Key extends string,
  Input extends z.ZodType,
  Pinned extends z.ZodType,
  const Fields extends readonly (keyof z.output<Pinned> & string)[],
  const Trigger extends string = never,
>(
  declaration: PatternDeclaration<Key, Input, Pinned, Trigger, Fields>,
): PatternDeclaration<Key, Input, Pinned, Trigger, Fields> => declaration;
