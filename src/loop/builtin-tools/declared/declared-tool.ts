// The declaration of a built-in tool: its name, its input, its effect, and when an agent has it.
// Everything in this folder is pure, so that `decide` may import it. The folder above says how a call is proposed and performed.

import { z } from "zod";
import type { Definition, Effect } from "../../../journal/definition.ts";
import type { EventBody } from "../../../journal/events.ts";
import type { ToolFacts } from "../../../journal/tool-facts.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import type { ChildRun } from "../../../projections/folds/child-runs.ts";
import type { RunState, ToolCall } from "../../../projections/folds/run-state.ts";

/** A tool as the model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of its input. */
  schema: unknown;
}

/** Tells whether an agent's file lets a tool through. */
export interface ToolGate {
  offers(definition: Definition, tool: ToolFacts & { name: string; effect: Effect }): boolean;
}

export interface DeclaredTool extends ToolFacts {
  /** Name in proposals, rules and journals. */
  readonly name: string;
  /** Other names of the tool, for models and for agent files. */
  readonly aliases?: readonly string[];
  /**
   * - `delegation`: starts a child run.
   * - `question`: a person's answer is its result.
   * - `loop`: the loop performs it.
   * - `closing`: ends the agent's turn or run; the call gets its result immediately.
   */
  readonly kind: "delegation" | "question" | "loop" | "closing";
  readonly effect: Effect;
  /** The tool starts or joins runs outside of the caller's tree. */
  readonly leavesTree?: true;
  /** Only an agent with delegates is offered the tool. */
  readonly needsDelegates?: true;
  /** An agent's file cannot list the tool. */
  readonly unlisted?: true;
  /** Set if an agent has the tool only if its file names it: "every tool" does not include it. */
  listedBy?(definition: Definition, gate: ToolGate): boolean;
  /** The tools that the model is offered; none if the agent does not have the tool here. */
  offered(view: DecisionView, gate: ToolGate): readonly OfferedTool[];
  /** Whether a call is accepted. By default it is if the tool is offered. */
  accepts?(view: DecisionView, gate: ToolGate): boolean;
  /** Decides a call from the journal alone: which children it waits for, or its result. Undefined: the loop performs it. */
  decide?(
    call: ToolCall,
    state: RunState,
  ): { waitFor: readonly ChildRun[] } | { result: EventBody } | undefined;
}

export const acceptsCall = (tool: DeclaredTool, view: DecisionView, gate: ToolGate): boolean =>
  tool.accepts ? tool.accepts(view, gate) : tool.offered(view, gate).length > 0;

/** JSON Schema as the model sees it. `closed`: the schema says that there are no other keys. */
export function jsonSchema(schema: z.ZodType, closed = false): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: closed ? "output" : "input" }) as Record<
    string,
    unknown
  >;
  return json;
}

/** Tells the model why a call's input cannot be used. */
export const misfit = (tool: string, error: z.ZodError): string =>
  `The input of ${tool} does not fit: ${z.prettifyError(error)}`;

/** Tells the model why an input does not fit a tool's schema. Undefined: it fits. */
export function inputMisfit(tool: string, schema: z.ZodType, input: unknown): string | undefined {
  const { error } = schema.safeParse(input);
  return error && misfit(tool, error);
}

/** Tells the model that a call's input was no JSON. Undefined: it was. */
export const invalidJson = ({ name, invalid }: ToolCall): string | undefined =>
  invalid === undefined
    ? undefined
    : `The input of ${name} was not valid JSON; nothing was done. It began: ${invalid.slice(0, 200)}`;

/** An offer that is the same for every run. Its schema is converted when it is first needed. */
export function offerOf(
  name: string,
  description: string,
  input: z.ZodType,
  closed = false,
): () => readonly OfferedTool[] {
  let made: readonly OfferedTool[] | undefined;
  return () => {
    made ??= [{ name, description, schema: jsonSchema(input, closed) }];
    return made;
  };
}
