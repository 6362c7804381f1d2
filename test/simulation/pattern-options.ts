// Expands a seed into a simulation of patterns.
// Agents on four levels use every pattern, alone or combined, with the agents below them.
// Sometimes an agent names an agent above it, or an agent that does not exist.

import {
  authority,
  callPlan,
  expandSeed,
  type Patterns,
  type RunPlan,
  runPlan,
  type SimOptions,
  weights,
} from "./options.ts";
import { type Random, seededRandom } from "./random.ts";
import { delegation, limits, teamCall } from "./tree-options.ts";

/** Number of agents on each level. The agents on the first level are the roots. */
const LEVELS = [2, 3, 3, 2];

export function expandPatternSeed(seed: number): SimOptions {
  const random = seededRandom(seed + 13_000_027);
  const cast = LEVELS.slice(1).flatMap((size, index) =>
    Array.from({ length: size }, (_, place) => agentPlan(random, index + 1, place)),
  );
  const roots = random.chance(0.15) ? 2 : 1;
  const base = expandSeed(seed);
  return {
    ...base,
    steps: random.between(80, 600),
    contextWindow: random.chance(0.1) ? random.between(1_000, 4_000) : undefined,
    authority: rules(random),
    weights: { ...weights(random, base.workers), person: random.pick([1, 2, 5]), drive: 20 },
    cancels: random.pick([0, 0.02, 0.2]),
    pauses: random.pick([0, 0.1, 0.5]),
    slowPeople: random.pick([0, 0.3]),
    concurrent: random.pick([1, 2, 10, 10]),
    runs: Array.from({ length: roots }, (_, index) => rootPlan(random, index)),
    cast,
  };
}

/** Permission rules. The router is the only pattern that can need an approval. */
function rules(random: Random): SimOptions["authority"] {
  const rules = authority(random);
  const rule = `delegate(${random.pick(agentsBelow(0))})`;
  const kind = random.weighted([
    ["none", 8],
    ["ask", 2],
    ["deny", 0.5],
  ] as const);
  if (kind !== "none") rules[kind].push(random.chance(0.15) ? "delegate" : rule);
  return rules;
}

function rootPlan(random: Random, index: number): RunPlan {
  const plan = agentPlan(random, 0, index);
  const sometimes = (probability: number, value: number) => (random.chance(probability) ? value : undefined);
  const tree = {
    maxRuns: random.weighted([
      [random.between(3, 8), 1],
      [random.between(12, 30), 4],
    ]),
    maxTokens: sometimes(0.15, random.between(4_000, 60_000)),
    maxCost: sometimes(0.08, random.between(4_000, 60_000) / 1_000_000),
  };
  return { ...plan, limits: { ...plan.limits, tree } };
}

function agentPlan(random: Random, level: number, index: number): RunPlan {
  const agent = nameOf(level, index);
  const { turns, ...plan } = runPlan(random, index);
  const patterns = patternsAt(random, level);
  const team = patterns.router ? undefined : delegationPlan(random, level, 0.35);
  // A router must choose within two turns, so at most one of its turns is planned.
  const few = turns.slice(0, patterns.router ? random.pick([0, 0, 0, 1]) : random.between(0, 2));
  return {
    ...plan,
    agent,
    limits: limits(random),
    voice: random.between(1, 1_000_000_000),
    turns: few.map((turn, number) => ({
      ...turn,
      calls: turn.calls.map((call, place) => {
        const name = `${agent}.${number}.${place}`;
        if (team && random.chance(0.6)) return teamCall(random, team, name);
        return random.chance(0.05) ? outOfPlace(random, name) : call;
      }),
    })),
    ...(team ? { team } : {}),
    patterns,
  };
}

/** A call of a team tool or a router tool, by an agent that might not be offered this tool. */
function outOfPlace(random: Random, name: string): RunPlan["turns"][number]["calls"][number] {
  const said = { message: name, ready: true, reason: name, summary: name, agent: "agent-3-0" };
  const tool = random.pick(["broadcast", "vote_conclude", "conclude_team", "route_to"]);
  return { ...callPlan(random, name), tool, form: "right", input: said };
}

function delegationPlan(random: Random, level: number, share: number): RunPlan["team"] {
  if (level === LEVELS.length - 1 || !random.chance(share)) return undefined;
  return {
    kind: "main",
    delegates: some(random, level, 2),
    delegation: delegation(random),
    context: random.weighted([
      ["none", 6],
      ["summary", 1],
      ["full", 1],
    ]),
    permissions: { ask: [], deny: [] },
  };
}

/** A valid combination of patterns. Agents near the root use more patterns, so that trees grow but still end. */
function patternsAt(random: Random, level: number): Patterns {
  if (level === LEVELS.length - 1) return {};
  const share = [1, 0.7, 0.35][level]!;
  const core = random.weighted([
    ["team", 4 * share],
    ["router", 2 * share],
    ["bestOf", 2 * share],
    ["none", level === 0 ? 1.5 : 4],
  ] as const);
  const handsOver = core !== "team" && (random.chance(0.7 * share) || (level === 0 && core === "none"));
  return {
    ...(core === "team" ? { team: team(random, level) } : {}),
    ...(core === "router" ? { router: router(random, level) } : {}),
    ...(core === "bestOf" ? { bestOf: bestOf(random, level) } : {}),
    ...(random.chance(0.35 * share) ? { advisors: advisors(random, level) } : {}),
    ...(handsOver ? { handoff: handoff(random, level) } : {}),
    ...(handsOver && random.chance(0.1) ? { finalizes: false } : {}),
  };
}

function handoff(random: Random, level: number): Patterns["handoff"] {
  return { agent: pickAgent(random, level), onFailure: random.pick(["fail", "return", "retry"]) };
}

function router(random: Random, level: number): Patterns["router"] {
  const destinations = some(random, level, 3);
  const fallback = random.chance(0.5) ? { fallback: pickAgent(random, level) } : {};
  return { destinations, ...fallback, allowAnswer: random.chance(0.3) };
}

function advisors(random: Random, level: number): Patterns["advisors"] {
  const agents = some(random, level, 3);
  const require = random.pick(["any", "any", "all", 0, 1, 2] as const);
  return { agents, require, ...(random.chance(0.4) ? { timeout: time(random) } : {}) };
}

function team(random: Random, level: number): Patterns["team"] {
  const modes = (["consensus", "maxRounds", "coordinatorDecides"] as const).filter(() => random.chance(0.5));
  return {
    members: some(random, level, 3, random.pick([1, 2, 2])),
    termination: modes.length > 0 ? modes : ["consensus"],
    maxRounds: random.between(1, 4),
    memberMaxTurns: random.pick([1, 2, 3, 4, 4]),
    ...(random.chance(0.3) ? { memberTimeout: time(random) } : {}),
    ...(random.chance(0.3) ? { quorum: random.pick([1, 1, 2, 3]) } : {}),
  };
}

function bestOf(random: Random, level: number): Patterns["bestOf"] {
  const n = random.between(1, 3);
  const strategies = ["be short", "be thorough", "be bold"].slice(0, random.between(0, n));
  return { n, strategies, ...(random.chance(0.5) ? { judge: pickAgent(random, level) } : {}) };
}

/** A time limit: either too short for most runs, or long enough as long as a worker is alive. */
const time = (random: Random): number =>
  random.chance(0.3) ? random.between(1, 30_000) : random.between(60_000, 900_000);

/** Some agents from lower levels, without duplicates. */
function some(random: Random, level: number, most: number, least = 1): string[] {
  const wanted = Array.from({ length: random.between(least, most) }, () => pickAgent(random, level));
  return [...new Set(wanted)];
}

function pickAgent(random: Random, level: number): string {
  return random.weighted([
    [random.pick(agentsBelow(level)), 30],
    [nameOf(level - 1, 0), level === 0 ? 0 : 0.7],
    ["agent-gone", 0.7],
  ]);
}

const agentsBelow = (level: number): string[] =>
  LEVELS.flatMap((size, other) =>
    other > level ? Array.from({ length: size }, (_, index) => nameOf(other, index)) : [],
  );

const nameOf = (level: number, index: number): string => `agent-${level}-${index}`;
