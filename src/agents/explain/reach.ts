// Every way by which an agent can come to run below another one, before anything runs: a tree of places, as the loop
// would allow it.
//  - Only delegation counts for depth, and the smallest `maxDepth` on the way holds.
//  - An agent that is already on the way is not started again.
//  - What an agent may call there: its own gate, less what it and everybody above it deny.

import { type AgentLimits, DEFAULT_LIMITS, type Definition, type Effect } from "../../journal/definition.ts";
import type { DeclaredFacts } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { ownToolsOf, patternsIn } from "../../patterns/declarations/facts.ts";
import { rulesFor } from "../../permissions/rules.ts";
import type { Agent } from "../agent.ts";
import { type Edge, edgesOf } from "./edges.ts";

export interface OfferedTool extends DeclaredFacts {
  name: string;
  effect: Effect;
}

export interface AllowedTool extends OfferedTool {
  /** Its file lets it make only calls like these: `Bash(npm test)`. */
  only?: string[];
}

export interface NodeLimits {
  maxTurns: number;
  /** Active milliseconds. */
  maxDuration: number;
  maxDepth: number;
  maxChildren: number;
  maxTokens?: number;
  maxCost?: number;
}

export interface ReachNode {
  agent: string;
  definition: Definition;
  /** From the first agent to here; empty at the first. */
  path: Edge[];
  /** Delegations on the way. */
  depth: number;
  models: readonly string[];
  tools: readonly AllowedTool[];
  /** Rules of those above that forbid some calls of a tool, not all of them. */
  deny: readonly string[];
  limits: NodeLimits;
  below: ReachNode[];
}

export const allNodes = (node: ReachNode): ReachNode[] => [node, ...node.below.flatMap(allNodes)];

/** A way that is not gone: the agent at its end is not started. */
export interface ReachStop {
  path: Edge[];
  why: "max-depth" | "on-the-path" | "broken" | "too-many";
}

export interface ReachParts {
  agents: ReadonlyMap<string, Agent>;
  /** The tools that an agent is offered by its own file. */
  offered(definition: Definition): readonly OfferedTool[];
  /** Of the project. */
  limits: AgentLimits;
  /** Rules that bind everybody: of the project, and of whoever is at work above. */
  deny?: readonly string[];
  /** Where the first agent would stand in a tree; absent: it is the root. */
  from?: TreePosition;
}

export interface TreePosition {
  /** Delegations above it, its own among them. */
  depth: number;
  maxDepth: number;
  /** Those at work above it, by their full names. */
  above: readonly string[];
}

/** More ways than anybody reads, in a set where everybody may call everybody. */
const MOST_PLACES = 2_000;
export const DEFAULT_CHILDREN = 20;

export function reachFrom(start: Definition, parts: ReachParts): { root: ReachNode; stops: ReachStop[] } {
  const stops: ReachStop[] = [];
  let places = 0;
  let isCut = false;
  const enter = (
    definition: Definition,
    before: ReachNode | undefined,
    edge: Edge | undefined,
  ): ReachNode => {
    places++;
    const place = placeOf(definition, { above: before, edge, parts });
    const above = parts.from?.above ?? [];
    const onTheWay = new Set([...above, start.name, ...place.path.map(({ to }) => to)]);
    for (const next of edgesOf(definition)) {
      if (isCut) break;
      const target = parts.agents.get(next.to)?.definition;
      const why = refusal(place, next, { isBroken: !target, onTheWay, isFull: places >= MOST_PLACES });
      isCut = why === "too-many";
      if (why) stops.push({ path: [...place.path, next], why });
      else place.below.push(enter(target!, place, next));
    }
    return place;
  };
  return { root: enter(start, undefined, undefined), stops };
}

function refusal(
  { depth, limits }: ReachNode,
  { key, to }: Edge,
  { isBroken, onTheWay, isFull }: { isBroken: boolean; onTheWay: ReadonlySet<string>; isFull: boolean },
): ReachStop["why"] | undefined {
  if (isBroken) return "broken";
  if (onTheWay.has(to)) return "on-the-path";
  if (key === "agents" && depth >= limits.maxDepth) return "max-depth";
  return isFull ? "too-many" : undefined;
}

interface Way {
  above: ReachNode | undefined;
  edge: Edge | undefined;
  parts: ReachParts;
}

function placeOf(definition: Definition, { above, edge, parts }: Way): ReachNode {
  const denied = [...(above?.deny ?? parts.deny ?? []), ...definition.permissions.deny];
  return {
    agent: definition.name,
    definition,
    path: edge ? [...above!.path, edge] : [],
    depth: (above?.depth ?? parts.from?.depth ?? 0) + (edge?.key === "agents" ? 1 : 0),
    models: above && definition.inheritsModel ? above.models : definition.models,
    tools: allowedTools(definition, denied, parts),
    deny: denied,
    limits: limitsAt(definition, { above, edge, parts }),
    below: [],
  };
}

/** What an agent may call where all this is denied. */
export function allowedTools(
  definition: Definition,
  denied: readonly string[],
  parts: ReachParts,
): AllowedTool[] {
  const own = ownToolsOf(definition);
  if (own?.may === "none") return [];
  const tools = { ...definition.tools, deny: [...definition.tools.deny, ...denied] };
  const offered = parts.offered({ ...definition, tools });
  return offered
    .filter(({ effect }) => own?.may !== "read" || effect === "read")
    .map((tool) => ({ ...tool, ...onlySome(tool, definition.tools.allow) }));
}

function onlySome(tool: OfferedTool, allow: readonly string[] = []): { only?: string[] } {
  const rules = rulesFor(allow, "strict", tool).filter((rule) => rule.names(tool.name));
  if (rules.length === 0 || rules.some((rule) => rule.bare)) return {};
  return { only: rules.map(({ text }) => text) };
}

function limitsAt({ limits: own }: Definition, { above, edge, parts }: Way): NodeLimits {
  const first = (name: "maxTurns" | "maxDuration" | "maxDepth"): number =>
    own[name] ?? parts.limits[name] ?? DEFAULT_LIMITS[name];
  const [maxTokens, maxCost] = [own.maxTokens ?? parts.limits.maxTokens, own.maxCost ?? parts.limits.maxCost];
  const starter = above && patternsIn(above.definition).find(({ pattern }) => pattern.key === edge?.key);
  const childTurns = starter?.pattern.childTurns?.(starter.own) ?? Number.POSITIVE_INFINITY;
  return {
    maxTurns: Math.min(first("maxTurns"), childTurns),
    maxDuration: first("maxDuration"),
    maxDepth: above
      ? Math.min(above.limits.maxDepth, own.maxDepth ?? above.limits.maxDepth)
      : Math.min(first("maxDepth"), parts.from?.maxDepth ?? Number.POSITIVE_INFINITY),
    maxChildren: own.maxChildren ?? parts.limits.maxChildren ?? DEFAULT_CHILDREN,
    ...omitUndefined({ maxTokens, maxCost }),
  };
}
