// Collects everything that the given agents refer to: tools, model objects and other agents.

import type { AgentInCode } from "../agents/agent-in-code.ts";
import { CadreError } from "../errors.ts";
import type { Model } from "../models/model.ts";
import type { AnyTool } from "../tools/tool.ts";
import { type Agent, partsOf } from "./define-agent.ts";
import { type RuntimeTool, runtimeToolOf } from "./define-tool.ts";

export interface Definitions {
  agents: AgentInCode[];
  tools: AnyTool[];
  models: Map<string, Model>;
  /** The tools whose calls need no approval unless a rule asks for it. */
  allow: string[];
}

export function collectDefinitions({
  agents = [],
  tools = [],
}: {
  agents?: readonly Agent[];
  tools?: readonly object[];
}): Definitions {
  const inCode = new Map<string, AgentInCode>();
  const byName = new Map<string, RuntimeTool>();
  const models = new Map<string, Model>();
  const addTool = (found: RuntimeTool): void => {
    const { name } = found.tool;
    const known = byName.get(name);
    if (known && known.tool !== found.tool) throw twice("tools", name);
    byName.set(name, found);
  };
  const addAgent = (agent: Agent): void => {
    const parts = partsOf(agent);
    const known = inCode.get(agent.name);
    if (known === parts.inCode) return;
    if (known) throw twice("agents", agent.name);
    inCode.set(agent.name, parts.inCode);
    for (const tool of parts.tools) addTool(tool);
    for (const [name, model] of parts.models) addModel(name, model, models);
    for (const other of parts.agents) addAgent(other);
  };
  for (const tool of tools) addTool(runtimeToolOf(tool));
  for (const agent of agents) addAgent(agent);
  const found = [...byName.values()];
  return {
    agents: [...inCode.values()],
    tools: found.map(({ tool }) => tool),
    models,
    allow: found.filter(({ allowed }) => allowed).map(({ tool }) => tool.name),
  };
}

/** Agents can have separate objects of the same model. Objects of different APIs, such as `openai.chat` and `openai.responses`, are refused. */
function addModel(name: string, model: Model, models: Map<string, Model>): void {
  const known = models.get(name);
  if (known && known !== model && known.provider !== model.provider) throw twice("models", name);
  models.set(name, known ?? model);
}

const twice = (what: string, name: string): CadreError =>
  new CadreError(
    "CONFIG_INVALID",
    `Two ${what} have the name ${name}. Rename one of them. Nothing was started.`,
  );
