// Expands a seed into the options of a simulation: runs, permissions, limits, and the answers and failures of models.
// The options include the frequency of each fault.
// Fault frequencies differ between seeds, so that rare combinations occur too.

import type {
  AgentLimits,
  ContextMode,
  Definition,
  Delegation,
  Rules,
} from "../../src/journal/definition.ts";
import type { ApprovalPolicy } from "../../src/journal/events.ts";
import { type Random, seededRandom } from "./random.ts";

export interface SimOptions {
  seed: number;
  /** `one`: a single process owns the file, as with SQLite. `two`: two workers share a store, and each can be slow. */
  workers: "one" | "two";
  /** `file`: a crash closes and reopens the store. `memory`: the leases of a dead worker expire after some time. */
  storage: "memory" | "file";
  /** Whether a restarted worker has the same name and pid, as in a container. */
  sameHost: boolean;
  steps: number;
  /** `gated` is the share of await points at which the simulation can stop a worker. `late` is the share of answers that it delays. */
  gated: number;
  late: number;
  /** Whether a cancel reaches running effects immediately. Otherwise, it arrives with the next heartbeat. */
  hearsCancels: boolean;
  contextWindow: number | undefined;
  authority: Rules;
  weights: Record<SimAction, number>;
  /** How often people cancel or pause a run, compared with their other actions. */
  cancels: number;
  pauses: number;
  /** How often people wait an hour before they answer, if nothing else can happen. */
  slowPeople: number;
  /** How many agents can work in the workspace at the same time. */
  concurrent: number;
  runs: RunPlan[];
  /** The agents that runs can delegate to. */
  cast: RunPlan[];
}

export const SIM_ACTIONS = [
  "drive",
  "release",
  "person",
  "tick",
  "wait",
  "expire-leases",
  "jump",
  "crash",
  "stall",
  "drain",
  "disk-full",
] as const;
export type SimAction = (typeof SIM_ACTIONS)[number];

export interface RunPlan {
  agent: string;
  attended: boolean;
  approvals: ApprovalPolicy;
  limits: AgentLimits;
  models: string[];
  offered: string[] | undefined;
  /** `none`: no structured data. `right`: the first attempt is valid. `wrong-first`: the first attempt is invalid, and a later one is valid. */
  output: "none" | "right" | "wrong-first";
  ending: "report" | "text" | "empty-first" | "with-calls";
  turns: TurnPlan[];
  /** How the agent delegates. Absent if it does not delegate. */
  team?: TeamPlan;
  patterns?: Patterns;
  /** A seed for the answers of the agent after its planned turns (see `pattern-script.ts`). */
  voice?: number;
}

export interface TeamPlan {
  kind: "main" | "subagent";
  /** Names of delegates. Some of these agents might not exist. */
  delegates: string[];
  delegation: Delegation;
  context: ContextMode;
  permissions: { ask: string[]; deny: string[] };
}

/** The patterns that an agent uses, except delegation. */
export type Patterns = Pick<Definition, "handoff" | "router" | "advisors" | "team" | "bestOf" | "finalizes">;

export interface TurnPlan {
  text: string;
  calls: CallPlan[];
  /** How the first attempts at this turn fail, in order. The next attempt succeeds. */
  failures: ModelFailure[];
  usage: { input: number; output: number };
}

export interface CallPlan {
  tool: string;
  what: string;
  /** Whether the model's call has valid JSON and the right types. */
  form: "right" | "no-json" | "wrong-type";
  /** The provider's call id. Set only if the provider repeats the id of an earlier call. */
  id?: string;
  /** The input, if the call is a delegation. */
  input?: Record<string, unknown>;
  /** Index of the started child that the call is about. If there is no such child, the call names a run that does not exist. */
  child?: number;
  /** What the agent does with that child. */
  action?: string;
}

export type ModelFailure = "429" | "529" | "network" | "cut" | "silent" | "length" | "400";

export const TOOLS = { look: "read", stamp: "idempotent", charge: "unsafe" } as const;
export type ToolName = keyof typeof TOOLS;
export const NAMES = Object.keys(TOOLS) as ToolName[];

export function expandSeed(seed: number): SimOptions {
  const random = seededRandom(seed);
  const workers = random.weighted([["one", 1] as const, ["two", 1] as const]);
  return {
    seed,
    workers,
    storage: workers === "one" && random.chance(0.15) ? "file" : "memory",
    sameHost: random.chance(0.3),
    steps: random.between(40, 220),
    gated: random.pick([0.15, 0.5, 1]),
    late: random.pick([0, 0.2, 0.5]),
    hearsCancels: random.chance(0.7),
    contextWindow: random.weighted([
      [undefined, 3],
      [random.between(400, 3_000), 1],
    ]),
    authority: authority(random),
    weights: weights(random, workers),
    cancels: 0.4,
    pauses: 1,
    slowPeople: 0,
    concurrent: [10, 1, 2][seed % 3]!,
    cast: [],
    runs: Array.from({ length: random.between(1, 3) }, (_, index) => runPlan(random, index)),
  };
}

export function weights(random: Random, workers: SimOptions["workers"]): SimOptions["weights"] {
  const some = (...choices: number[]): number => random.pick(choices);
  return {
    drive: 12,
    release: 30,
    person: some(2, 6, 12),
    tick: 5,
    wait: some(2, 6),
    "expire-leases": workers === "two" ? some(0, 2, 4) : 1,
    jump: workers === "one" ? some(0, 0, 2) : 0,
    crash: some(0, 1, 3),
    stall: workers === "two" ? some(0, 3, 6) : 0,
    drain: some(0, 0, 1),
    "disk-full": some(0, 0, 1),
  };
}

export function authority(random: Random): Rules {
  const rules: Rules = { allow: [], ask: [], deny: [] };
  for (const name of NAMES) {
    const kind = random.weighted([
      ["allow", 5],
      ["ask", 5],
      ["deny", 1],
      ["none", 1],
    ] as const);
    if (kind !== "none") rules[kind].push(name);
  }
  return rules;
}

export function runPlan(random: Random, index: number): RunPlan {
  const turns = random.between(1, 7);
  return {
    agent: `agent-${index}`,
    attended: random.chance(0.7),
    approvals: {
      onTimeout: random.pick(["reject", "fail", "wait"]),
      unattended: random.weighted([
        ["park", 4],
        ["reject", 1],
        ["fail", 1],
      ]),
    },
    limits: limits(random),
    models: random.chance(0.3) ? ["sim/a", "other/b"] : ["sim/a"],
    offered: random.chance(0.15) ? NAMES.filter(() => random.chance(0.7)) : undefined,
    output: random.weighted([
      ["none", 6],
      ["right", 1],
      ["wrong-first", 1],
    ]),
    ending: random.weighted([
      ["report", 4],
      ["text", 3],
      ["empty-first", 1],
      ["with-calls", 1],
    ]),
    turns: Array.from({ length: turns }, (_, turn) => turnPlan(random, `${index}.${turn}`)),
  };
}

function limits(random: Random): AgentLimits {
  const sometimes = <T>(probability: number, value: T): T | undefined =>
    random.chance(probability) ? value : undefined;
  const all = {
    maxTurns: sometimes(0.3, random.between(0, 8)),
    maxDuration: sometimes(0.2, random.between(0, 120_000)),
    approvalTimeout: sometimes(0.4, random.between(0, 120_000)),
    maxToolCallsPerTurn: sometimes(0.2, random.between(0, 3)),
    toolTimeout: sometimes(0.3, random.between(1_000, 30_000)),
    maxTokens: sometimes(0.25, random.between(0, 20_000)),
    maxCost: sometimes(0.15, random.between(0, 20_000) / 1_000_000),
    maxEvents: sometimes(0.1, random.between(5, 80)),
    onBudget: sometimes(0.5, "suspend" as const),
    tree: sometimes(0.1, { maxTokens: random.between(0, 20_000) }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function turnPlan(random: Random, name: string): TurnPlan {
  const failures = random.chance(0.25) ? random.between(1, 3) : random.chance(0.02) ? 7 : 0;
  return {
    text: random.chance(0.5) ? `turn ${name}` : "",
    calls: Array.from({ length: random.between(0, 3) || 1 }, (_, index) =>
      callPlan(random, `${name}.${index}`),
    ),
    failures: Array.from({ length: failures }, () => failure(random)),
    usage: { input: random.between(50, 900), output: random.between(0, 150) },
  };
}

export function callPlan(random: Random, name: string): CallPlan {
  const tool = random.weighted([
    ["look", 3],
    ["stamp", 3],
    ["charge", 4],
    ["nothing-like-it", 0.3],
    ["final_report", 0.2],
  ]);
  const form = random.weighted([
    ["right", 12],
    ["no-json", 0.5],
    ["wrong-type", 0.5],
  ] as const);
  const what = random.chance(0.15) ? "the same" : name;
  return { tool, what, form, ...(random.chance(0.3) ? { id: random.pick(["call_0", ""]) } : {}) };
}

function failure(random: Random): ModelFailure {
  return random.weighted([
    ["429", 3],
    ["529", 2],
    ["network", 3],
    ["cut", 3],
    ["silent", 2],
    ["length", 2],
    ["400", 0.3],
  ]);
}

/** Each simulation has a different `edition`, so that the loop never uses a cached definition of an earlier simulation. */
export function definitionOf(plan: RunPlan, edition: string): Definition {
  const { agent, models, offered, output, limits, team, patterns = {} } = plan;
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  return {
    name: agent,
    description: "simulated",
    kind: team?.kind ?? "main",
    models,
    maxOutputTokens: 200,
    prompt: "You are simulated.",
    tools: { ...(offered ? { allow: offered } : {}), ask: [], deny: [] },
    permissions: team?.permissions ?? { ask: [], deny: [] },
    agents: team?.delegates ?? [],
    ...(team ? delegationOf(team) : {}),
    ...patterns,
    ...(patterns.router ? { delegates: patterns.router.destinations.map(delegateTo) } : {}),
    limits,
    ...(output === "none" ? {} : { output: schema }),
    source: { file: `${agent}.md`, hash: edition },
  };
}

function delegationOf({ delegates, delegation, context }: TeamPlan): Partial<Definition> {
  return {
    delegates: delegates.map(delegateTo),
    delegation,
    context,
  };
}

const delegateTo = (agent: string) => ({ name: agent, agent, description: "simulated" });
