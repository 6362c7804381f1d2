// The declaration of a built-in tool: its name, its input, its effect, and when an agent has it.
// Everything in this folder is pure, so that `decide` can import it. The parent folder proposes and performs the calls.

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
  /** JSON Schema of the tool's input. */
  schema: unknown;
}

/** Decides whether an agent's file allows a tool. */
export interface ToolGate {
  offers(definition: Definition, tool: ToolFacts & { name: string; effect: Effect }): boolean;
  /** Every tool of the project, by name. Absent if the caller does not know the project's tools. */
  tools?: ReadonlyMap<string, ToolFacts & { name: string; description: string; effect: Effect }>;
}

export interface DeclaredTool extends ToolFacts {
  /** Name of the tool in proposals, rules and journals. */
  readonly name: string;
  /** Other names of the tool, for models and for agent files. */
  readonly aliases?: readonly string[];
  /**
   * - `delegation`: starts a child run.
   * - `question`: the call's result is a person's answer.
   * - `loop`: the loop performs the call.
   * - `closing`: ends the agent's turn or run; the call gets its result immediately.
   */
  readonly kind: "delegation" | "question" | "loop" | "closing";
  readonly effect: Effect;
  /** True if the tool starts or joins runs outside of the caller's tree. */
  readonly leavesTree?: true;
  /** True if only agents with delegates are offered the tool. */
  readonly needsDelegates?: true;
  /** True if the tool is offered only to agents with so many MCP tools that not all of them are listed. */
  readonly needsServerTools?: true;
  /** True if agent files cannot list the tool. */
  readonly unlisted?: true;
  /** True if an agent gets the tool only by naming it in its file. "Every tool" does not include such a tool. */
  listedBy?(definition: Definition, gate: ToolGate): boolean;
  /** The tools that the model is offered. Empty if the agent does not have this tool in this run. */
  offered(view: DecisionView, gate: ToolGate): readonly OfferedTool[];
  /** The input that rules judge. If absent, it is the call's own input. */
  judgedInput?(call: Pick<ToolCall, "name" | "input">): unknown;
  /** Whether a call is accepted. If this function is absent, a call is accepted when the tool is offered. */
  accepts?(view: DecisionView, gate: ToolGate): boolean;
  /** Decides a call from the journal alone. Returns the children to wait for, or the call's result. Undefined if the loop must perform the call. */
  decide?(
    call: ToolCall,
    state: RunState,
  ): { waitFor: readonly ChildRun[] } | { result: EventBody } | undefined;
}

export const acceptsCall = (tool: DeclaredTool, view: DecisionView, gate: ToolGate): boolean =>
  tool.accepts ? tool.accepts(view, gate) : tool.offered(view, gate).length > 0;

/** JSON Schema as the model sees it. If `closed` is true, the schema forbids additional keys. */
export function jsonSchema(schema: z.ZodType, closed = false): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: closed ? "output" : "input",
    override: ({ jsonSchema: part }) => dropSelfEvident(part),
  }) as Record<string, unknown>;
  return json;
}

interface SchemaPart {
  minLength?: number;
  minItems?: number;
  exclusiveMinimum?: number | boolean;
  maximum?: number;
  propertyNames?: unknown;
}

/**
 * Removes constraints that tell the model nothing new, because each turn pays for the schemas. For example, a count is positive.
 * A call that violates such a constraint gets a result that says so.
 */
function dropSelfEvident(part: SchemaPart): void {
  if (part.minLength === 1) delete part.minLength;
  if (part.minItems === 1) delete part.minItems;
  if (part.exclusiveMinimum === 0) delete part.exclusiveMinimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
  delete part.propertyNames;
}

/** A tool offer that is the same for every run. Its schema is converted when it is first needed. */
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
