// Computes every path along which an agent can start other agents, before anything runs.
// The result is the tree of all runs that the loop would allow.
//  - Only delegations increase the depth, and the smallest `maxDepth` on the path applies.
//  - An agent that is already on the path is not started again.
//  - An agent has the tools that its own file allows, except tools that its file or an agent above it denies.

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
  /** The calls of this tool that the agent's file allows, such as `Bash(npm test)`. */
  only?: string[];
}

export interface NodeLimits {
  maxTurns: number;
  /** Limit on the active time, in milliseconds. */
  maxDuration: number;
  maxDepth: number;
  maxChildren: number;
  maxTokens?: number;
  maxCost?: number;
}

export interface ReachNode {
  agent: string;
  definition: Definition;
  /** Edges from the first agent to this agent. Empty for the first agent. */
  path: Edge[];
  /** Number of delegations on the path. */
  depth: number;
  models: readonly string[];
  tools: readonly AllowedTool[];
  /** Deny rules of this agent and of all agents above it. */
  deny: readonly string[];
  limits: NodeLimits;
  below: ReachNode[];
}

export const allNodes = (node: ReachNode): ReachNode[] => [node, ...node.below.flatMap(allNodes)];

/** A path that ends early. The agent at its end is not started. */
export interface ReachStop {
  path: Edge[];
  why: "max-depth" | "on-the-path" | "broken" | "too-many";
}

export interface ReachParts {
  agents: ReadonlyMap<string, Agent>;
  /** Returns the tools that an agent's own file allows. */
  offered(definition: Definition): readonly OfferedTool[];
  /** Limits of the project. */
  limits: AgentLimits;
  /** Whether the cost of the model's calls is known. */
  hasPrice(model: string): boolean;
  /** Deny rules for all agents: the rules of the project and of the runs above the first agent. */
  deny?: readonly string[];
  /** Position of the first agent in a running tree. Absent if it is the root. */
  from?: TreePosition;
}

export interface TreePosition {
  /** Number of delegations from the root to the agent. */
  depth: number;
  maxDepth: number;
  /** Full names of the agents that already work above the first agent. */
  above: readonly string[];
}

/** Limits the number of paths to what a person would read. If every agent can call every other agent, there are far more paths. */
const MOST_NODES = 2_000;
export const DEFAULT_CHILDREN = 20;

export function reachFrom(start: Definition, parts: ReachParts): { root: ReachNode; stops: ReachStop[] } {
  const stops: ReachStop[] = [];
  let nodes = 0;
  let isCut = false;
  const enter = (
    definition: Definition,
    before: ReachNode | undefined,
    edge: Edge | undefined,
  ): ReachNode => {
    nodes++;
    const node = nodeOf(definition, { above: before, edge, parts });
    const above = parts.from?.above ?? [];
    const onThePath = new Set([...above, start.name, ...node.path.map(({ to }) => to)]);
    for (const next of edgesOf(definition)) {
      if (isCut) break;
      const target = parts.agents.get(next.to)?.definition;
      const why = stopReason(node, next, { isBroken: !target, onThePath, isFull: nodes >= MOST_NODES });
      isCut = why === "too-many";
      if (why) stops.push({ path: [...node.path, next], why });
      else node.below.push(enter(target!, node, next));
    }
    return node;
  };
  return { root: enter(start, undefined, undefined), stops };
}

function stopReason(
  { depth, limits }: ReachNode,
  { key, to }: Edge,
  { isBroken, onThePath, isFull }: { isBroken: boolean; onThePath: ReadonlySet<string>; isFull: boolean },
): ReachStop["why"] | undefined {
  if (isBroken) return "broken";
  if (onThePath.has(to)) return "on-the-path";
  if (key === "agents" && depth >= limits.maxDepth) return "max-depth";
  return isFull ? "too-many" : undefined;
}

interface NodePosition {
  above: ReachNode | undefined;
  edge: Edge | undefined;
  parts: ReachParts;
}

function nodeOf(definition: Definition, { above, edge, parts }: NodePosition): ReachNode {
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

/** The tools of an agent, except those that are denied. */
export function allowedTools(
  definition: Definition,
  denied: readonly string[],
  parts: ReachParts,
): AllowedTool[] {
  const own = ownToolsOf(definition);
  if (own?.may === "none") return [];
  const tools = { ...definition.tools, deny: [...definition.tools.deny, ...denied] };
  const offered = parts.offered({ ...definition, tools });
  return (
    offered
      // A tool that is part of another tool is not listed, because the other tool can already do the same.
      .filter(({ effect, partOf }) => partOf === undefined && (own?.may !== "read" || effect === "read"))
      .map((tool) => ({ ...tool, ...allowedCalls(tool, definition.tools.allow) }))
  );
}

function allowedCalls(tool: OfferedTool, allow: readonly string[] = []): { only?: string[] } {
  const rules = rulesFor(allow, "strict", tool).filter((rule) => rule.names(tool.name));
  if (rules.length === 0 || rules.some((rule) => rule.bare)) return {};
  return { only: rules.map(({ text }) => text) };
}

function limitsAt({ limits: own }: Definition, { above, edge, parts }: NodePosition): NodeLimits {
  const first = (name: "maxTurns" | "maxDuration" | "maxDepth"): number =>
    own[name] ?? parts.limits[name] ?? DEFAULT_LIMITS[name];
  const [maxTokens, maxCost] = [own.maxTokens ?? parts.limits.maxTokens, own.maxCost ?? parts.limits.maxCost];
  const noLimit = Number.POSITIVE_INFINITY;
  const starter = above && patternsIn(above.definition).find(({ pattern }) => pattern.key === edge?.key);
  const childTurns = starter?.pattern.childTurns?.(starter.own) ?? noLimit;
  return {
    maxTurns: Math.min(first("maxTurns"), childTurns),
    maxDuration: first("maxDuration"),
    maxDepth: above
      ? Math.min(above.limits.maxDepth, own.maxDepth ?? above.limits.maxDepth)
      : Math.min(first("maxDepth"), parts.limits.maxDepth ?? noLimit, parts.from?.maxDepth ?? noLimit),
    maxChildren: own.maxChildren ?? parts.limits.maxChildren ?? DEFAULT_CHILDREN,
    ...omitUndefined({ maxTokens, maxCost }),
  };
}
