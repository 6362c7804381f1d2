// Explains an agent before anything runs: which agent gives the answer, and which other agents can be started.
// For each reachable agent, the explanation lists the paths to the agent and its tools. It also contains the worst case.
// The explanation is plain data for terminal, API and browser.

import type { Power } from "../../journal/blast-radius.ts";
import type { Runner } from "../../journal/definition.ts";
import { canReach, reachesOnlyRuns } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { rulesFor } from "../../permissions/rules.ts";
import type { Agent } from "../agent.ts";
import type { Explanation, ReachableAgent, ReachPath } from "./explanation-schema.ts";
import {
  type AllowedTool,
  allNodes,
  type OfferedTool,
  type ReachNode,
  type ReachParts,
  reachFrom,
} from "./reach.ts";
import { isTerminal, terminalAgents } from "./terminal-agents.ts";
import { worstCase } from "./worst-case.ts";

export function explain(
  agent: Agent & { definition: NonNullable<Agent["definition"]> },
  { instructions = NO_INSTRUCTIONS, ...parts }: ReachParts & Partial<Pick<Explanation, "instructions">>,
): Explanation {
  const { definition } = agent;
  const reach = reachFrom(definition, parts);
  const { root, stops } = reach;
  const nodes = allNodes(root);
  return {
    agent: agent.name,
    ...omitUndefined({ title: definition.title }),
    file: agent.file,
    description: definition.description,
    kind: definition.kind,
    isTerminal: isTerminal(definition),
    terminals: terminalAgents(parts.agents, agent.name),
    models: root.models,
    ...omitUndefined({ runner: definition.runner && programText(definition.runner) }),
    tools: root.tools.map(shownTool),
    instructions,
    limits: root.limits,
    reachable: reachableOf(nodes.slice(1)),
    stops,
    blastRadius: blastRadiusOf(nodes),
    worstCase: worstCase(reach, parts),
  };
}

const NO_INSTRUCTIONS: Explanation["instructions"] = { files: [], trusted: true, problems: [] };

export const programText = ({ acp: { command, args = [] } }: Runner): string => [command, ...args].join(" ");

function reachableOf(nodes: readonly ReachNode[]): ReachableAgent[] {
  const byAgent = new Map<string, ReachPath[]>();
  for (const { agent, path, depth, models, tools, deny, limits } of nodes) {
    const shown = { tools: tools.map(shownTool), deny: partialDenies(deny, tools) };
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), { path, depth, models, ...shown, limits }]);
  }
  return [...byAgent].map(([agent, ways]) => ({
    agent,
    ways: ways.toSorted((a, b) => a.path.length - b.path.length),
  }));
}

const shownTool = ({ name, effect, only }: AllowedTool): AllowedTool => omitUndefined({ name, effect, only });

/** Rules that deny only some calls of a tool that the agent has. */
function partialDenies(deny: readonly string[], tools: readonly OfferedTool[]): string[] {
  const touched = new Set(
    tools
      .flatMap((tool) => rulesFor(deny, "wide", tool).filter((rule) => !rule.bare))
      .map(({ text }) => text),
  );
  return deny.filter((rule, index) => touched.has(rule) && deny.indexOf(rule) === index);
}

function blastRadiusOf(nodes: readonly ReachNode[]): Explanation["blastRadius"] {
  const held = new Map<string, Explanation["blastRadius"]["tools"][number]>();
  for (const { agent, path, tools } of nodes.toSorted((a, b) => a.path.length - b.path.length)) {
    for (const tool of tools) {
      if (tool.effect === "read" || reachesOnlyRuns(tool)) continue;
      const { name, effect, only } = tool;
      const entry = held.get(name) ?? { name, effect, by: [] };
      if (!entry.by.some((known) => known.agent === agent))
        entry.by.push(omitUndefined({ agent, path, only }));
      held.set(name, entry);
    }
  }
  const all = nodes.flatMap(({ tools }) => tools);
  const isProgram = nodes.some(({ definition }) => definition.runner !== undefined);
  const may = (power: Power): boolean => isProgram || all.some((tool) => canReach(tool, power));
  return {
    changesFiles: may("files"),
    runsCommands: may("commands"),
    reachesNetwork: may("network"),
    tools: [...held.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
