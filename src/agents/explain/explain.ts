// The static picture of an agent, before anything runs: whose words the answer will be, whom it can reach and how, what
// they may call there, and what could come of it at worst. A plain value, the same for terminal, API and browser.

import type { Power } from "../../journal/blast-radius.ts";
import type { Runner } from "../../journal/definition.ts";
import { canReach, reachesOnlyRuns } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { rulesFor } from "../../permissions/rules.ts";
import type { Agent } from "../agent.ts";
import type { Edge } from "./edges.ts";
import {
  type AllowedTool,
  allNodes,
  type NodeLimits,
  type OfferedTool,
  type ReachNode,
  type ReachParts,
  type ReachStop,
  reachFrom,
} from "./reach.ts";
import { isTerminal, type TerminalAgent, terminalAgents } from "./terminal-agents.ts";
import { DEFAULT_TREE_RUNS, type WorstCase, worstCase } from "./worst-case.ts";

export interface Explanation {
  agent: string;
  /** How people see it, where that is another word. */
  title?: string;
  file: string;
  description: string;
  kind: "main" | "subagent";
  /** Its own words are the answer. */
  isTerminal: boolean;
  terminals: TerminalAgent[];
  models: readonly string[];
  /** The program that does its work: what it does without asking, only its sandbox holds. */
  runner?: string;
  tools: readonly AllowedTool[];
  limits: NodeLimits;
  reachable: ReachableAgent[];
  stops: ReachStop[];
  blastRadius: StaticBlastRadius;
  worstCase: WorstCase;
}

export interface ReachableAgent {
  agent: string;
  /** The shortest first. */
  ways: ReachPath[];
}

export interface ReachPath {
  path: Edge[];
  depth: number;
  models: readonly string[];
  tools: readonly AllowedTool[];
  /** Rules with a pattern: they forbid some calls of a tool. */
  deny: readonly string[];
  limits: NodeLimits;
}

/** Of an agent that nobody has asked to start: with nothing above it, and no now to compare it with. */
export interface StaticBlastRadius {
  changesFiles: boolean;
  runsCommands: boolean;
  reachesNetwork: boolean;
  /** Tools that do more than read, and who holds them: each agent by its shortest way. */
  tools: (OfferedTool & { by: ToolHolder[] })[];
}

export interface ToolHolder {
  agent: string;
  path: Edge[];
  only?: string[];
}

export function explain(
  agent: Agent & { definition: NonNullable<Agent["definition"]> },
  parts: ReachParts,
): Explanation {
  const { definition } = agent;
  const { root, stops } = reachFrom(definition, parts);
  const places = allNodes(root);
  const whole = stops.every(({ why }) => why !== "too-many");
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
    limits: root.limits,
    reachable: reachableOf(places.slice(1)),
    stops,
    blastRadius: blastRadiusOf(places),
    worstCase: worstCase(root, { maxRuns: parts.limits.tree?.maxRuns ?? DEFAULT_TREE_RUNS, whole }),
  };
}

export const programText = ({ acp: { command, args = [] } }: Runner): string => [command, ...args].join(" ");

function reachableOf(places: readonly ReachNode[]): ReachableAgent[] {
  const byAgent = new Map<string, ReachPath[]>();
  for (const { agent, path, depth, models, tools, deny, limits } of places) {
    const way = { path, depth, models, tools: tools.map(shownTool), deny: partly(deny, tools), limits };
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), way]);
  }
  return [...byAgent].map(([agent, ways]) => ({
    agent,
    ways: ways.toSorted((a, b) => a.path.length - b.path.length),
  }));
}

const shownTool = ({ name, effect, only }: AllowedTool): AllowedTool => ({
  name,
  effect,
  ...omitUndefined({ only }),
});

/** The rules that forbid some calls of a tool that is there. */
function partly(deny: readonly string[], tools: readonly OfferedTool[]): string[] {
  const touched = new Set(
    tools
      .flatMap((tool) => rulesFor(deny, "wide", tool).filter((rule) => !rule.bare))
      .map(({ text }) => text),
  );
  return deny.filter((rule, index) => touched.has(rule) && deny.indexOf(rule) === index);
}

function blastRadiusOf(places: readonly ReachNode[]): StaticBlastRadius {
  const held = new Map<string, StaticBlastRadius["tools"][number]>();
  for (const { agent, path, tools } of places.toSorted((a, b) => a.path.length - b.path.length)) {
    for (const tool of tools) {
      if (tool.effect === "read" || reachesOnlyRuns(tool)) continue;
      const { name, effect, only } = tool;
      const entry = held.get(name) ?? { name, effect, by: [] };
      if (!entry.by.some((known) => known.agent === agent))
        entry.by.push(omitUndefined({ agent, path, only }));
      held.set(name, entry);
    }
  }
  const all = places.flatMap(({ tools }) => tools);
  const isProgram = places.some(({ definition }) => definition.runner !== undefined);
  const may = (power: Power): boolean => isProgram || all.some((tool) => canReach(tool, power));
  return {
    changesFiles: may("files"),
    runsCommands: may("commands"),
    reachesNetwork: may("network"),
    tools: [...held.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
