// The static picture of an agent, before anything runs: whose words the answer will be, whom it can reach and how, what
// they may call there, and what could come of it at worst. A plain value, the same for terminal, API and browser.

import type { Runner } from "../journal/definition.ts";
import { rulesFor } from "../permissions/rules.ts";
import type { Agent } from "./agent.ts";
import type { Edge } from "./edges.ts";
import {
  type HeldTool,
  type OfferedTool,
  type Place,
  type PlaceLimits,
  type ReachParts,
  reach,
  type Stop,
} from "./reach.ts";
import { isTerminal, type Terminal, terminalsOf } from "./terminal.ts";
import { DEFAULT_TREE_RUNS, type WorstCase, worstCase } from "./worst-case.ts";

export interface Explanation {
  agent: string;
  file: string;
  description: string;
  kind: "main" | "subagent";
  /** Its own words are the answer. */
  isTerminal: boolean;
  terminals: Terminal[];
  models: readonly string[];
  /** The program that does its work: what it does without asking, only its sandbox holds. */
  runner?: string;
  tools: readonly HeldTool[];
  limits: PlaceLimits;
  reachable: Reachable[];
  stops: Stop[];
  blastRadius: BlastRadius;
  worstCase: WorstCase;
}

export interface Reachable {
  agent: string;
  /** The shortest first. */
  ways: WayThere[];
}

export interface WayThere {
  path: Edge[];
  depth: number;
  models: readonly string[];
  tools: readonly HeldTool[];
  /** Rules with a pattern: they forbid some calls of a tool. */
  deny: readonly string[];
  limits: PlaceLimits;
}

export interface BlastRadius {
  changesFiles: boolean;
  runsCommands: boolean;
  reachesNetwork: boolean;
  /** Tools that do more than read, and who holds them: each agent by its shortest way. */
  tools: (OfferedTool & { by: Holder[] })[];
}

export interface Holder {
  agent: string;
  path: Edge[];
  only?: string[];
}

export function explain(
  agent: Agent & { definition: NonNullable<Agent["definition"]> },
  parts: ReachParts,
): Explanation {
  const { definition } = agent;
  const { root, stops } = reach(definition, parts);
  const places = allPlaces(root);
  const whole = stops.every(({ why }) => why !== "too-many");
  return {
    agent: agent.name,
    file: agent.file,
    description: definition.description,
    kind: definition.kind,
    isTerminal: isTerminal(definition),
    terminals: terminalsOf(parts.agents, agent.name),
    models: root.models,
    ...(definition.runner ? { runner: programText(definition.runner) } : {}),
    tools: root.tools,
    limits: root.limits,
    reachable: reachableOf(places.slice(1)),
    stops,
    blastRadius: blastRadiusOf(places),
    worstCase: worstCase(root, { maxRuns: parts.limits.tree?.maxRuns ?? DEFAULT_TREE_RUNS, whole }),
  };
}

const programText = ({ acp: { command, args = [] } }: Runner): string => [command, ...args].join(" ");

const allPlaces = (place: Place): Place[] => [place, ...place.below.flatMap(allPlaces)];

function reachableOf(places: readonly Place[]): Reachable[] {
  const byAgent = new Map<string, WayThere[]>();
  for (const { agent, path, depth, models, tools, deny, limits } of places) {
    const way = { path, depth, models, tools, deny: partly(deny, tools), limits };
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), way]);
  }
  return [...byAgent].map(([agent, ways]) => ({
    agent,
    ways: ways.toSorted((a, b) => a.path.length - b.path.length),
  }));
}

/** The rules that forbid some calls of a tool that is there. */
function partly(deny: readonly string[], tools: readonly OfferedTool[]): string[] {
  const touched = new Set(
    tools
      .flatMap(({ name }) => rulesFor(deny, "wide", name).filter((rule) => !rule.bare))
      .map(({ text }) => text),
  );
  return deny.filter((rule, index) => touched.has(rule) && deny.indexOf(rule) === index);
}

function blastRadiusOf(places: readonly Place[]): BlastRadius {
  const held = new Map<string, BlastRadius["tools"][number]>();
  for (const { agent, path, tools } of places.toSorted((a, b) => a.path.length - b.path.length)) {
    for (const tool of tools) {
      if (tool.effect === "read" || ON_THE_RUNTIME.test(tool.name)) continue;
      const { name, effect, only } = tool;
      const entry = held.get(name) ?? { name, effect, by: [] };
      if (!entry.by.some((known) => known.agent === agent))
        entry.by.push({ agent, path, ...(only ? { only } : {}) });
      held.set(name, entry);
    }
  }
  const all = places.flatMap(({ tools }) => tools);
  const isProgram = places.some(({ definition }) => definition.runner !== undefined);
  const may = (power: Power): boolean => isProgram || all.some((tool) => powersOf(tool).includes(power));
  return {
    changesFiles: may("files"),
    runsCommands: may("commands"),
    reachesNetwork: may("network"),
    tools: [...held.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

type Power = "files" | "commands" | "network";

const POWERS: Readonly<Record<string, readonly Power[]>> = {
  Write: ["files"],
  Edit: ["files"],
  TodoWrite: [],
  WebFetch: ["network"],
  WebSearch: ["network"],
  loki_query: ["network"],
  loki_labels: ["network"],
  loki_service_errors: ["network"],
  restart_service: ["commands"],
};

/** They start or follow runs; what those may do is counted where they run. */
const ON_THE_RUNTIME =
  /^(delegate|delegate_to_agent|mcp__agent__spawn|run_.+_agent|route_to|final_report|broadcast|vote_conclude|conclude_team|check_run|wait_for_runs|cancel_run|send_message|list_agents|AskUser)$/;

/** A tool that does more than read and is not known here could do anything: Bash, and those of servers. */
function powersOf({ name, effect }: OfferedTool): readonly Power[] {
  if (ON_THE_RUNTIME.test(name)) return [];
  const known = POWERS[name];
  if (known) return known;
  if (name.startsWith("mcp__")) return effect === "read" ? ["network"] : ANYTHING;
  return effect === "read" ? [] : ANYTHING;
}

const ANYTHING: readonly Power[] = ["files", "commands", "network"];
