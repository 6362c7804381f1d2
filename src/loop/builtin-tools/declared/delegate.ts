// The tools with which an agent gives work to another agent: `delegate`, its variants, and a router's `route_to`.
// All of these tools are proposed as `delegate`. `children/start-children.ts` starts the child.

import { z } from "zod";
import {
  type ContextMode,
  DEFAULT_DELEGATION,
  type Definition,
  type Delegate,
} from "../../../journal/definition.ts";
import type { Payload } from "../../../journal/events.ts";
import type { ToolFacts } from "../../../journal/tool-facts.ts";
import { invalidJson, misfit } from "../../../patterns/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { ROUTE_TO } from "../../../patterns/router.ts";
import type { ToolCall } from "../../../projections/folds/run-state.ts";
import { DELEGATE } from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, jsonSchema, type OfferedTool } from "./declared-tool.ts";

/** The request in a delegation call. It has the same form for every delegation tool. */
export interface DelegationRequest {
  /** Name of the delegate, as the model wrote it. The agent might not have a delegate with this name. */
  name: string;
  task: string;
  contextFiles?: string[] | undefined;
  criteria?: string | undefined;
  /** Why a router chose this agent. */
  reason?: string | undefined;
  context?: Record<string, unknown> | undefined;
  contextMode?: ContextMode | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  awaited: boolean;
}

/** A delegation only starts a run. The calls of that run are judged when the run makes them. */
const STARTS_A_RUN: ToolFacts = { reaches: ["runtime"], target: { kind: "name", field: "agent" } };

export interface DelegationTool extends DeclaredTool {
  readonly kind: "delegation";
  /** True if a router chooses the child's agent with this tool. */
  readonly routes?: true;
  /** The result of a call that does not wait for the child. If this function is absent, every call waits for its child. */
  detachedResult?(childRunId: string): object;
  offered(view: DecisionView): readonly OfferedTool[];
  parse(tool: string, input: unknown): DelegationRequest | z.ZodError;
}

// Each turn pays for these schemas, so a field with a self-explanatory name has no description.
const task = z.string().min(1);
const files = z.array(z.string()).optional();
const criteria = z.string().optional();
const context = z.record(z.string(), z.unknown()).optional().describe("Further input, as data");
const model = z.string().optional();
const turns = z.int().positive().optional();

const Offered = z.object({
  agent: z.string().min(1),
  task,
  context_files: files,
  success_criteria: criteria,
  context_mode: z.enum(["none", "summary", "selective", "full"]).optional(),
  model,
  maxTurns: turns,
  await: z.boolean().optional().describe("false: the result comes later, as a message"),
});
/** The model is not offered the field `context`, because it can write the same data into the task. A call with this field is accepted. */
const Generic = Offered.extend({ context });
/** S2-33 … S2-39 specify these descriptions. */
const Role = z.object({
  role: z.string().min(1).describe("The role/specialization of the sub-agent"),
  task: task.describe("Clear description of what the sub-agent should accomplish"),
  context_files: files.describe("Optional: specific files the sub-agent should focus on"),
  success_criteria: criteria.describe("Optional: how to determine if the task was successful"),
});
const Spawn = z.object({
  agentType: z.string().min(1),
  task,
  context,
  model,
  maxTurns: turns,
  awaitResult: z.boolean().optional().describe("false: the result comes later, as a message"),
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

const DESCRIPTION = "Gives an agent a task; returns its result.";

/** S2-32 specifies this wording. */
const ROLE_DESCRIPTION =
  "Delegate a specialized task to a sub-agent with a specific role. Use this when a task requires specialized expertise. The sub-agent will work on the task and return a structured result.";

/** S3-23 specifies this wording. */
const ROUTE_DESCRIPTION = "Select the agent to handle this request.";

type Shape = NonNullable<Definition["delegation"]>["tool"];

/** Builds one of the delegation tools. An agent's file chooses one of them by its `shape`. A router always gets the shape `route`. */
function delegationTool<T>(
  shape: Shape | "route",
  input: z.ZodType<T>,
  tool: Pick<DelegationTool, "name" | "routes" | "detachedResult" | "unlisted"> & {
    offer(delegates: readonly Delegate[]): OfferedTool[];
    /** `name` is the tool name that the model used. */
    toRequest(asked: T, name: string): DelegationRequest;
  },
): DelegationTool {
  const { offer, toRequest, ...declared } = tool;
  return {
    ...declared,
    kind: "delegation",
    effect: "idempotent",
    needsDelegates: true,
    ...STARTS_A_RUN,
    accepts: ({ definition }) => (shape === "route") === (definition.router !== undefined),
    offered({ definition, state }) {
      const chosen = definition.router ? "route" : (definition.delegation ?? DEFAULT_DELEGATION).tool;
      const delegates = shape === chosen ? availableDelegates(definition, state.start!) : [];
      return delegates.length === 0 ? [] : offer(delegates);
    },
    // `toRequest` converts the input. A `transform` in the schema would be slower, because the schema would have to be built for each call.
    parse(name, given) {
      const parsed = input.safeParse(given);
      return parsed.success ? toRequest(parsed.data, name) : parsed.error;
    },
  };
}

/** Offers one tool. The field `field` of its schema accepts only the delegates' names. */
const offerNames =
  (name: string, input: z.ZodType, field: string, description = DESCRIPTION) =>
  (delegates: readonly Delegate[]): OfferedTool[] => [
    { name, description, schema: schemaWithNames(input, field, delegates) },
  ];

const delegate = delegationTool("generic", Generic, {
  name: DELEGATE,
  detachedResult: (runId) => ({ child_run_id: runId, status: "started" }),
  offer: offerNames(DELEGATE, Offered, "agent"),
  toRequest: ({ agent, context_files, success_criteria, context_mode, await: awaited, ...asked }) => ({
    ...asked,
    name: agent,
    contextFiles: context_files,
    criteria: success_criteria,
    contextMode: context_mode,
    awaited: awaited !== false,
  }),
});

const delegateToAgent = delegationTool("delegate_to_agent", Role, {
  name: "delegate_to_agent",
  offer: offerNames("delegate_to_agent", Role, "role", ROLE_DESCRIPTION),
  toRequest: ({ role, context_files, success_criteria, ...asked }) => ({
    ...asked,
    name: role,
    contextFiles: context_files,
    criteria: success_criteria,
    awaited: true,
  }),
});

const spawn = delegationTool("mcp__agent__spawn", Spawn, {
  name: "mcp__agent__spawn",
  detachedResult: (runId) => ({ agentId: runId, status: "spawned" }),
  offer: offerNames("mcp__agent__spawn", Spawn, "agentType"),
  toRequest: ({ agentType, awaitResult, ...asked }) => ({
    ...asked,
    name: agentType,
    awaited: awaitResult !== false,
  }),
});

export const runAgent = delegationTool("per-agent", PerAgent, {
  name: "run_<name>_agent",
  unlisted: true,
  offer: (delegates) =>
    delegates.map(({ name, description }) => ({
      name: perAgentTool(name),
      description: `Run the ${name} agent and wait for its completion. ${description}`.slice(0, 1_024),
      schema: schemaOf(PerAgent),
    })),
  toRequest: (asked, tool) => ({ name: tool.slice(4, -6), task: asked.task, awaited: true }),
});

const routeTo = delegationTool("route", Route, {
  name: ROUTE_TO,
  routes: true,
  unlisted: true,
  offer: offerNames(ROUTE_TO, Route, "agent", ROUTE_DESCRIPTION),
  toRequest: ({ agent, reason, message = "" }) => ({ name: agent, task: message, reason, awaited: true }),
});

export const DELEGATION_TOOLS: readonly DelegationTool[] = [
  delegate,
  delegateToAgent,
  spawn,
  runAgent,
  routeTo,
];

/** The delegation tool that a model calls by this name. Undefined if no delegation tool has the name. */
export const delegationToolNamed = (name: string): DelegationTool | undefined =>
  DELEGATION_TOOLS.find((tool) => tool.name === name) ?? (PER_AGENT_NAME.test(name) ? runAgent : undefined);

/** Whether the agent can start a child in this run without waiting for it. */
export const mayStartDetached = (view: DecisionView): boolean =>
  DELEGATION_TOOLS.some((tool) => tool.detachedResult && tool.offered(view).length > 0);

/** The delegates that the agent can use in this run. Empty at the maximum depth. The agents of its ancestors are left out (F22). */
export function availableDelegates(definition: Definition, start: Payload<"RUN_STARTED">): Delegate[] {
  if (definition.kind === "subagent") return [];
  if (start.depth >= start.limits.maxDepth && !definition.router) return [];
  const above = new Set([definition.name, ...(start.ancestors ?? []).map(({ agent }) => agent)]);
  return (definition.delegates ?? []).filter(({ agent }) => !above.has(agent));
}

/** The request in a delegation call. `problem` tells the model why the input is invalid. Undefined if the call is no delegation. */
export function parseDelegation({
  name,
  input,
  invalid,
}: Pick<ToolCall, "name" | "input" | "invalid">): DelegationRequest | { problem: string } | undefined {
  const tool = delegationToolNamed(name);
  if (!tool) return undefined;
  const unreadable = invalidJson({ name, invalid });
  if (unreadable !== undefined) return { problem: unreadable };
  const asked = tool.parse(name, input);
  return asked instanceof z.ZodError ? { problem: misfit(name, asked) } : asked;
}

/** Matches the names that `perAgentTool` returns. */
export const PER_AGENT_NAME = /^run_\w+_agent$/;

/** S0-41: the name of the tool that starts one agent, such as `run_coding_agent`. The name does not contain the agent's pack. */
export const perAgentTool = (name: string): string => `run_${toolWord(name)}_agent`;

const toolWord = (name: string): string => name.replace(/^.*\//, "").replaceAll(/[^A-Za-z0-9]+/g, "_");

/** Finds a delegate by its name in the agent's file, by its full name, or by its name in a per-agent tool. */
export function findDelegate(delegates: readonly Delegate[], name: string): Delegate | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    delegates.find((known) => known.name.toLowerCase() === wanted || known.agent.toLowerCase() === wanted) ??
    delegates.find((known) => toolWord(known.name).toLowerCase() === toolWord(wanted))
  );
}

/** How much of the parent's conversation the child sees. The call overrides the child's file, and the child's file overrides the parent's. */
export async function resolveContextMode(
  { name, contextMode }: DelegationRequest,
  { definition }: { definition: Definition },
  { findAgent }: { findAgent(name: string): Promise<Definition> },
): Promise<ContextMode> {
  if (contextMode) return contextMode;
  const { agent } = findDelegate(definition.delegates ?? [], name)!;
  return (await findAgent(agent)).context ?? definition.context ?? "none";
}

/** Converts the schema to JSON Schema, and lets `field` accept only the delegates' names. */
function schemaWithNames(schema: z.ZodType, field: string, delegates: readonly Delegate[]): unknown {
  const json = schemaOf(schema);
  const names = delegates.map(({ name }) => name);
  const properties = { ...(json["properties"] as object), [field]: { type: "string", enum: names } };
  return { ...json, properties };
}

/** JSON Schemas by their zod schema, so that each schema is converted only once. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const json = jsonSchemas.get(schema) ?? jsonSchema(schema);
  jsonSchemas.set(schema, json);
  return json;
}
