// Expands a seed into a simulation of trees. Agents on four levels delegate to the agents below them in every possible way.
// Sometimes an agent names an agent above it, or an agent that does not exist.

import type { AgentLimits, Delegation } from "../../src/journal/definition.ts";
import { perAgentTool } from "../../src/loop/builtin-tools/declared/delegate.ts";
import {
  authority,
  type CallPlan,
  callPlan,
  expandSeed,
  NAMES,
  type RunPlan,
  runPlan,
  type SimOptions,
  type TeamPlan,
} from "./options.ts";
import { type Random, seededRandom } from "./random.ts";

/** Number of agents on each level below the roots. */
const LEVELS = [2, 2, 1];

export function expandTreeSeed(seed: number): SimOptions {
  const random = seededRandom(seed + 7_000_003);
  const cast = LEVELS.flatMap((size, level) =>
    Array.from({ length: size }, (_, index) => agentPlan(random, level + 1, index)),
  );
  const roots = random.chance(0.25) ? 2 : 1;
  return {
    ...expandSeed(seed),
    steps: random.between(80, 500),
    contextWindow: random.chance(0.1) ? random.between(1_000, 4_000) : undefined,
    authority: treeAuthority(random),
    cancels: random.pick([0, 0.02, 0.2]),
    pauses: random.pick([0, 0.1, 0.5]),
    slowPeople: random.pick([0, 0.3]),
    concurrent: random.pick([1, 2, 3, 10, 10]),
    runs: Array.from({ length: roots }, (_, index) => rootPlan(random, index)),
    cast,
  };
}

function treeAuthority(random: Random): SimOptions["authority"] {
  const rules = authority(random);
  const kind = random.weighted([
    ["none", 6],
    ["ask", 3],
    ["deny", 0.2],
  ] as const);
  if (kind !== "none") rules[kind].push("delegate");
  return rules;
}

function rootPlan(random: Random, index: number): RunPlan {
  const plan = agentPlan(random, 0, index);
  const sometimes = (probability: number, value: number) => (random.chance(probability) ? value : undefined);
  const tree = {
    maxRuns: random.between(4, 14),
    maxTokens: sometimes(0.2, random.between(2_000, 40_000)),
    maxCost: sometimes(0.1, random.between(2_000, 40_000) / 1_000_000),
  };
  return { ...plan, limits: { ...plan.limits, tree } };
}

function agentPlan(random: Random, level: number, index: number): RunPlan {
  const name = `agent-${level}-${index}`;
  const team = level < LEVELS.length ? teamPlan(random, level) : undefined;
  const { turns, ...plan } = runPlan(random, index);
  const few = turns.slice(0, random.between(1, 3));
  const share = level === 0 ? 0.85 : 0.6;
  return {
    ...plan,
    agent: name,
    limits: limits(random),
    turns: few.map((turn, number) => ({
      ...turn,
      calls: turn.calls.map((call, place) =>
        team && random.chance(share) ? teamCall(random, team, `${name}.${number}.${place}`) : call,
      ),
    })),
    ...(team ? { team } : {}),
  };
}

function teamPlan(random: Random, level: number): TeamPlan {
  const below = Array.from({ length: LEVELS[level]! }, (_, index) => `agent-${level + 1}-${index}`);
  const odd = random.weighted([
    [[], 8],
    [[`agent-${level}-0`], 1],
    [["agent-gone"], 1],
  ]);
  const some = (probability: number): string[] => NAMES.filter(() => random.chance(probability));
  return {
    kind: level > 0 && random.chance(0.04) ? "subagent" : "main",
    delegates: [...below, ...odd],
    delegation: delegation(random),
    context: random.weighted([
      ["none", 8],
      ["summary", 1],
      ["selective", 1],
      ["full", 1],
    ]),
    permissions: { ask: some(0.1), deny: some(0.05) },
  };
}

export function delegation(random: Random): Delegation {
  return {
    mode: random.weighted([
      ["parallel", 2],
      ["sequential", 1],
    ]),
    maxParallel: random.between(1, 3),
    tool: random.weighted([
      ["generic", 5],
      ["mcp__agent__spawn", 2],
      ["per-agent", 1],
      ["delegate_to_agent", 1],
    ]),
    onFailure: random.pick(["return", "return", "fail", "retry"]),
    atEnd: random.pick(["wait", "wait", "cancel"]),
  };
}

export function teamCall(random: Random, team: TeamPlan, name: string): CallPlan {
  if (random.chance(0.25)) {
    const action = random.pick(["check", "wait", "wait", "cancel"]);
    const child = random.between(0, 1);
    return { ...callPlan(random, name), tool: "manage_runs", action, form: "right", child };
  }
  const agent = random.chance(0.03) ? "agent-nobody" : random.pick(team.delegates);
  const { what: _, ...base } = callPlan(random, name);
  return { ...base, what: name, ...delegationCall(random, team.delegation.tool, agent, `the task ${name}`) };
}

function delegationCall(
  random: Random,
  kind: Delegation["tool"],
  agent: string,
  task: string,
): Pick<CallPlan, "tool"> & { input: Record<string, unknown> } {
  const detached = random.chance(0.4);
  const more = {
    ...(random.chance(0.1) ? { maxTurns: random.between(1, 3) } : {}),
    ...(random.chance(0.1) ? { model: "other/b" } : {}),
  };
  switch (kind) {
    case "per-agent":
      return { tool: perAgentTool(agent), input: { task } };
    case "delegate_to_agent":
      return { tool: kind, input: { role: agent, task } };
    case "mcp__agent__spawn":
      return {
        tool: kind,
        input: { agentType: agent, task, ...more, ...(detached ? { awaitResult: false } : {}) },
      };
    case "generic":
      return { tool: "delegate", input: { agent, task, ...more, ...(detached ? { await: false } : {}) } };
  }
}

/** Limits of an agent. Most limits are absent, so that trees can grow. */
export function limits(random: Random): AgentLimits {
  const sometimes = <T>(probability: number, value: T): T | undefined =>
    random.chance(probability) ? value : undefined;
  const all = {
    maxTurns: sometimes(0.15, random.between(1, 5)),
    maxDuration: sometimes(0.08, random.between(0, 120_000)),
    approvalTimeout: sometimes(0.4, random.between(0, 120_000)),
    maxToolCallsPerTurn: sometimes(0.1, random.between(1, 3)),
    toolTimeout: sometimes(0.3, random.between(1_000, 30_000)),
    maxTokens: sometimes(0.1, random.between(500, 20_000)),
    maxCost: sometimes(0.05, random.between(500, 20_000) / 1_000_000),
    maxEvents: sometimes(0.05, random.between(10, 80)),
    maxDepth: sometimes(0.1, random.between(0, 3)),
    maxChildren: sometimes(0.1, random.between(0, 3)),
    onBudget: sometimes(0.5, "suspend" as const),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
