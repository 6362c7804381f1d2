// The delegation tool, by every name that it goes by: what the model is offered, and what it asked for. Declared here by
// schema only; `start-children.ts` performs it.

import { z } from "zod";
import {
  type ContextMode,
  DEFAULT_DELEGATION,
  type Definition,
  type Delegate,
} from "../../../journal/definition.ts";
import type { Payload } from "../../../journal/events.ts";
import { ROUTE_TO } from "../../../patterns/router.ts";
import type { ToolCall } from "../../../projections/folds/run-state.ts";

/** What a delegation is called in proposals and rules, whatever name the model used. */
export const DELEGATE = "delegate";

export interface DelegationRequest {
  /** As the model calls it; whether there is such a delegate is somebody else's question. */
  name: string;
  task: string;
  contextFiles?: string[] | undefined;
  criteria?: string | undefined;
  /** Of a router's choice. */
  reason?: string | undefined;
  context?: Record<string, unknown> | undefined;
  contextMode?: ContextMode | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  awaited: boolean;
}

export interface OfferedTool {
  name: string;
  description: string;
  schema: unknown;
}

const task = z
  .string()
  .min(1)
  .describe("What the agent should do. It sees this, not your conversation: be complete.");
const files = z.array(z.string()).optional().describe("Files that it should look at.");
const criteria = z.string().optional().describe("How success is recognised.");
const context = z
  .record(z.string(), z.unknown())
  .optional()
  .describe("Anything else that it should know, as data.");
const model = z.string().optional().describe("A model other than its own.");
const turns = z.int().positive().optional().describe("At most this many turns.");

const Generic = z.object({
  agent: z.string().min(1),
  task,
  context_files: files,
  success_criteria: criteria,
  context,
  context_mode: z
    .enum(["none", "summary", "selective", "full"])
    .optional()
    .describe("What it sees of this conversation."),
  model,
  maxTurns: turns,
  await: z.boolean().optional().describe("False: go on at once; its end arrives as a message."),
});
const Role = z.object({ role: z.string().min(1), task, context_files: files, success_criteria: criteria });
const Spawn = z.object({
  agentType: z.string().min(1),
  task,
  context,
  model,
  maxTurns: turns,
  awaitResult: z.boolean().optional().describe("False: go on at once; its end arrives as a message."),
});
const PerAgent = z.object({ task });
const Route = z.object({
  agent: z.string().min(1),
  reason: z.string().describe("In one sentence: what decided it."),
  message: z
    .string()
    .optional()
    .describe("What the agent should know beside the request, which it gets as it is."),
});

const DESCRIPTION =
  "Delegate a task to another agent. It works on its own and returns a structured result: look at it before you go on.";

/** S3-23. */
const ROUTE_DESCRIPTION = "Select the agent to handle this request.";

/** What the model is offered, given whom it can really delegate to from here. */
export function delegationTools(definition: Definition, delegates: readonly Delegate[]): OfferedTool[] {
  if (delegates.length === 0) return [];
  const names = delegates.map(({ name }) => name);
  if (definition.router)
    return [{ name: ROUTE_TO, description: ROUTE_DESCRIPTION, schema: schemaOf(Route, "agent", names) }];
  switch ((definition.delegation ?? DEFAULT_DELEGATION).tool) {
    case "per-agent":
      return delegates.map(({ name, description }) => ({
        name: perAgentTool(name),
        description: `Run the ${name} agent and wait for its completion. ${description}`.slice(0, 1_024),
        schema: schemaOf(PerAgent),
      }));
    case "delegate_to_agent":
      return [{ name: "delegate_to_agent", description: DESCRIPTION, schema: schemaOf(Role, "role", names) }];
    case "mcp__agent__spawn":
      return [
        { name: "mcp__agent__spawn", description: DESCRIPTION, schema: schemaOf(Spawn, "agentType", names) },
      ];
    case "generic":
      return [{ name: DELEGATE, description: DESCRIPTION, schema: schemaOf(Generic, "agent", names) }];
  }
}

/** Whom an agent can delegate to where it stands: nobody at the last level, nobody who is at work above it (F22). */
export function availableDelegates(definition: Definition, start: Payload<"RUN_STARTED">): Delegate[] {
  if (definition.kind === "subagent") return [];
  if (start.depth >= start.limits.maxDepth && !definition.router) return [];
  const above = new Set([definition.name, ...(start.ancestors ?? []).map(({ agent }) => agent)]);
  return (definition.delegates ?? []).filter(({ agent }) => !above.has(agent));
}

export const isDelegation = (tool: string): boolean => readers.some(({ is }) => is(tool));

/** What a call asks for; a sentence for the model where its input does not fit. */
export function parseDelegation({
  name,
  input,
  invalid,
}: Pick<ToolCall, "name" | "input" | "invalid">): DelegationRequest | { problem: string } {
  if (invalid !== undefined)
    return { problem: `The input of ${name} was no valid JSON; nothing was started.` };
  const asked = readers.find(({ is }) => is(name))!.read(name, input);
  if (!(asked instanceof z.ZodError)) return asked;
  return { problem: `The input of ${name} does not fit: ${z.prettifyError(asked)}` };
}

/** S0-41: `run_coding_agent`; a pack's name stays out of it. */
export const perAgentTool = (name: string): string => `run_${toolWord(name)}_agent`;

const toolWord = (name: string): string => name.replace(/^.*\//, "").replaceAll(/[^A-Za-z0-9]+/g, "_");

interface Reader {
  is(tool: string): boolean;
  read(tool: string, input: unknown): DelegationRequest | z.ZodError;
}

const readers: readonly Reader[] = [
  {
    is: (tool) => tool === DELEGATE,
    read: reading(Generic, (asked) => {
      const { agent, context_files: contextFiles, success_criteria, context_mode, maxTurns } = asked;
      return {
        name: agent,
        task: asked.task,
        contextFiles,
        criteria: success_criteria,
        context: asked.context,
        contextMode: context_mode,
        model: asked.model,
        maxTurns,
        awaited: asked.await !== false,
      };
    }),
  },
  {
    is: (tool) => tool === "delegate_to_agent",
    read: reading(Role, (asked) => {
      const { role, context_files: contextFiles, success_criteria } = asked;
      return { name: role, task: asked.task, contextFiles, criteria: success_criteria, awaited: true };
    }),
  },
  {
    is: (tool) => tool === "mcp__agent__spawn",
    read: reading(Spawn, ({ agentType, awaitResult, ...asked }) => {
      return { name: agentType, ...asked, awaited: awaitResult !== false };
    }),
  },
  {
    is: (tool) => tool === ROUTE_TO,
    read: reading(Route, ({ agent, reason, message = "" }) => {
      return { name: agent, task: message, reason, awaited: true };
    }),
  },
  {
    is: (tool) => /^run_\w+_agent$/.test(tool),
    read: reading(PerAgent, (asked, tool) => ({ name: tool.slice(4, -6), task: asked.task, awaited: true })),
  },
];

/** No `transform`: a schema that is made for each call costs far more than its parsing. */
function reading<T>(
  schema: z.ZodType<T>,
  toDelegated: (asked: T, tool: string) => DelegationRequest,
): Reader["read"] {
  return (tool, input) => {
    const parsed = schema.safeParse(input);
    return parsed.success ? toDelegated(parsed.data, tool) : parsed.error;
  };
}

/** The delegate that a name means: as it is written, by its full name, or as a per-agent tool spells it. */
export function findDelegate(delegates: readonly Delegate[], name: string): Delegate | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    delegates.find((known) => known.name.toLowerCase() === wanted || known.agent.toLowerCase() === wanted) ??
    delegates.find((known) => toolWord(known.name).toLowerCase() === toolWord(wanted))
  );
}

/** What the child sees of the conversation: as it is asked for, as its file says, or as that of its parent does. */
export async function resolveContextMode(
  { name, contextMode }: DelegationRequest,
  { definition }: { definition: Definition },
  { findAgent }: { findAgent(name: string): Promise<Definition> },
): Promise<ContextMode> {
  if (contextMode) return contextMode;
  const { agent } = findDelegate(definition.delegates ?? [], name)!;
  return (await findAgent(agent)).context ?? definition.context ?? "none";
}

/** With the names that there are in the place of any text. */
function schemaOf(schema: z.ZodType, field?: string, names?: readonly string[]): unknown {
  const json = jsonSchemas.get(schema) ?? jsonSchemaOf(schema);
  jsonSchemas.set(schema, json);
  if (field === undefined) return json;
  const properties = { ...(json["properties"] as object), [field]: { type: "string", enum: names } };
  return { ...json, properties };
}

/** Translated once, not for every run that may delegate. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return json;
}
