// Agents that a program defines. They have the keys of agent files, and also take model, tool, schema and agent objects.

import type { AgentInCode } from "../agents/agent-in-code.ts";
import { CadreError } from "../errors.ts";
import { isScripted, type Model } from "../models/model.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { Steps, StepsInput } from "../patterns/step-vocabulary.ts";
import { type AiTool, type RuntimeTool, runtimeToolOf, type Tool } from "./define-tool.ts";
import {
  type JsonSchema,
  type ReadSchema,
  readSchema,
  type StandardSchema,
  type WrappedJsonSchema,
} from "./schema.ts";

/** A model object of the AI SDK, such as `anthropic("…")`. */
export type ModelObject = Model;

type Schema<Value> = StandardSchema<Value> | WrappedJsonSchema | JsonSchema;

type Patterns = "handoff" | "router" | "advisors" | "team" | "bestOf";

/** The value of a key, where an agent object can stand for the name of an agent. */
type WithAgents<T> = T extends string
  ? string | Agent
  : T extends readonly (infer Item)[]
    ? readonly WithAgents<Item>[]
    : T extends object
      ? { [Key in keyof T]: WithAgents<T[Key]> }
      : T;

export interface AgentOptions<Output, Input>
  extends Omit<AgentInCode, "model" | "tools" | "agents" | "input" | "output" | "steps" | Patterns> {
  /** `provider/model`, an alias, a model object of the AI SDK, or a list that is tried in order. */
  model?: string | ModelObject | readonly (string | ModelObject)[];
  /** The tools that the agent may call: names of built-in tools, defined tools, or AI SDK tools by name. By default, it has none. */
  tools?: readonly (string | AnyTool)[] | Readonly<Record<string, AiTool | AnyTool>>;
  /** The agents that it may delegate to. */
  agents?: "*" | readonly (string | Agent)[];
  /** The schema of its input. */
  input?: Schema<Input>;
  /** The schema of its answer. Without a schema, the answer is text. */
  output?: Schema<Output>;
  /** A generator that decides what the agent does next. */
  steps?(given: StepsInput<Input>): Steps;
  handoff?: WithAgents<AgentInCode["handoff"]>;
  router?: WithAgents<AgentInCode["router"]>;
  advisors?: WithAgents<AgentInCode["advisors"]>;
  team?: WithAgents<AgentInCode["team"]>;
  bestOf?: WithAgents<AgentInCode["bestOf"]>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of every input type
type AnyTool = Tool<any, unknown>;

declare const types: unique symbol;

/** An agent that `defineAgent` returned. */
// biome-ignore lint/suspicious/noExplicitAny: `Agent` alone stands for agents with every input and answer
export interface Agent<Output = any, Input = any> {
  readonly name: string;
  /** Only for the compiler: the types of the answer and the input. */
  readonly [types]?: { output: Output; input: (given: Input) => void };
}

/**
 * An agent for the runtime, with all objects that its definition refers to.
 * @internal
 */
export interface AgentParts {
  inCode: AgentInCode;
  tools: RuntimeTool[];
  models: Map<string, Model>;
  agents: Agent[];
  output: ReadSchema | undefined;
}

const partsByAgent = new WeakMap<object, AgentParts>();

export function defineAgent<Output = string, Input = unknown>(
  options: AgentOptions<Output, Input>,
): Agent<Output, Input> {
  const {
    name,
    model,
    tools,
    agents,
    input,
    output,
    steps,
    handoff,
    router,
    advisors,
    team,
    bestOf,
    ...keys
  } = options;
  if (typeof name !== "string" || typeof keys.prompt !== "string")
    throw new CadreError("CONFIG_INVALID", "An agent needs a `name` and a `prompt`. Nothing was started.");
  const agent: Agent<Output, Input> = { name };
  const found: AgentParts = {
    inCode: { ...keys, name },
    tools: [],
    models: new Map(),
    agents: [],
    output: undefined,
  };
  found.output = output === undefined ? undefined : readSchema(output, `The output of the agent ${name}`);
  const nameOf = (value: unknown): unknown => withNames(value, found.agents);
  found.inCode = {
    ...found.inCode,
    ...(omitUndefined({
      model: modelNames(model, name, found.models),
      tools: toolNames(tools, found.tools),
      input: input === undefined ? undefined : readSchema(input, `The input of the agent ${name}`).json,
      output: found.output?.json,
      agents: nameOf(agents),
      handoff: nameOf(handoff),
      router: nameOf(router),
      advisors: nameOf(advisors),
      team: nameOf(team),
      bestOf: nameOf(bestOf),
      steps,
    }) as Partial<AgentInCode>),
  };
  partsByAgent.set(agent, found);
  return agent;
}

/**
 * Returns the parts of an agent. Throws if `defineAgent` did not make it.
 * @internal
 */
export function partsOf(agent: unknown): AgentParts {
  const parts = partsByAgent.get(agent as object);
  if (parts) return parts;
  throw new CadreError("CONFIG_INVALID", "An agent was not made by defineAgent. Nothing was started.");
}

const isAgent = (value: object): value is Agent => partsByAgent.has(value);

/** Replaces agent objects by their names, and collects them. */
function withNames(value: unknown, agents: Agent[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isAgent(value)) {
    agents.push(value);
    return value.name;
  }
  if (Array.isArray(value)) return value.map((item) => withNames(item, agents));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNames(item, agents)]));
}

function modelNames(
  given: AgentOptions<unknown, unknown>["model"],
  agent: string,
  models: Map<string, Model>,
): string | string[] | undefined {
  if (given === undefined || typeof given === "string") return given;
  if (Array.isArray(given))
    return given.map((one: string | ModelObject) => modelNames(one, agent, models) as string);
  const model = given as ModelObject;
  if (model.specificationVersion !== "v4")
    throw new CadreError(
      "CONFIG_INVALID",
      `A model object has version ${String(model.specificationVersion)} of the AI SDK's interface, but Cadre needs v4, which AI SDK 7 has. Nothing was started.`,
    );
  const name = isScripted(nameOfModel(model)) ? scriptedName(agent, models) : nameOfModel(model);
  models.set(name, model);
  return name;
}

/** A scripted model belongs to its agent. The name stays the same when a test changes the script. */
function scriptedName(agent: string, models: ReadonlyMap<string, Model>): string {
  const others = [...models.keys()].filter(isScripted).length;
  return `scripted/${agent}${others === 0 ? "" : `-${others + 1}`}`;
}

/**
 * The name in the journal and in the price list: `anthropic.messages` with `claude-x` becomes `anthropic/claude-x`.
 * @internal
 */
export const nameOfModel = ({ provider, modelId }: Pick<Model, "provider" | "modelId">): string =>
  `${provider.split(".")[0]}/${modelId}`;

function toolNames(given: AgentOptions<unknown, unknown>["tools"], tools: RuntimeTool[]): string[] {
  const add = (one: unknown, key?: string): string => {
    if (typeof one === "string") return one;
    const found = runtimeToolOf(one, key);
    tools.push(found);
    return found.tool.name;
  };
  if (given === undefined) return [];
  return Array.isArray(given)
    ? given.map((one) => add(one))
    : Object.entries(given).map(([key, one]) => add(one, key));
}
