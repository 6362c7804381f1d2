// What a built-in tool declares: its name, its input, its effect, and when an agent has it. Everything here is pure, so that
// `decide` may import it. The files beside this folder add how a call is proposed and performed.

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

/** The agent's own gate: true if its file lets this tool through. */
export interface ToolGate {
  offers(definition: Definition, tool: ToolFacts & { name: string; effect: Effect }): boolean;
}

export interface DeclaredTool extends ToolFacts {
  /** Name in proposals, rules and journals. */
  readonly name: string;
  /** Other names that a model may call it by, and an agent's file may list. */
  readonly aliases?: readonly string[];
  /**
   * - `delegation`: starts a child run.
   * - `question`: a person's answer is its result.
   * - `loop`: the loop performs it.
   * - `closing`: ends the agent's turn or run; it is answered at once.
   */
  readonly kind: "delegation" | "question" | "loop" | "closing";
  readonly effect: Effect;
  /** It starts or joins runs outside of its own tree. */
  readonly leavesTree?: true;
  /** An agent's file cannot list it. */
  readonly unlisted?: true;
  /** Set if only agents whose file names the tool have it: "every tool" does not include it. */
  listedBy?(definition: Definition, gate: ToolGate): boolean;
  /** What the model is offered; empty if the agent does not have the tool here. */
  offered(view: DecisionView, gate: ToolGate): readonly OfferedTool[];
  /** Whether a call is accepted; by default, if the tool is offered. */
  accepts?(view: DecisionView, gate: ToolGate): boolean;
  /** Decides a call from the journal alone: children to wait for, or the result. Undefined: perform it. */
  decide?(
    call: ToolCall,
    state: RunState,
  ): { waitFor: readonly ChildRun[] } | { result: EventBody } | undefined;
}

export const acceptsCall = (tool: DeclaredTool, view: DecisionView, gate: ToolGate): boolean =>
  tool.accepts ? tool.accepts(view, gate) : tool.offered(view, gate).length > 0;

/** JSON Schema as the model sees it. `closed`: it says that there are no other keys. */
export function jsonSchema(schema: z.ZodType, closed = false): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: closed ? "output" : "input" }) as Record<
    string,
    unknown
  >;
  return json;
}

/** Why a call's input cannot be used, in a sentence for the model. */
export const misfit = (tool: string, error: z.ZodError): string =>
  `The input of ${tool} does not fit: ${z.prettifyError(error)}`;

/** The same offer for every run; its schema is converted when it is first needed. */
export function offerOf(
  tool: Omit<OfferedTool, "schema"> & { schema: () => unknown },
): () => readonly OfferedTool[] {
  let made: readonly OfferedTool[] | undefined;
  return () => {
    made ??= [{ ...tool, schema: tool.schema() }];
    return made;
  };
}
