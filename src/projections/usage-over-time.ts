// What was spent and done, by when: in equal stretches of time from the beginning of the report, by agent and by model;
// and how whole trees went (S1-70, S1-75).
//  A model call counts once, in the stretch in which its outcome was recorded, so that the sums are those of the report.
//  A tree is at work while at least one of its runs is. How much of the work went on side by side is the work of all of
//  its runs over that time: waiting for people, providers and timers is no part of either.

import { type EventOf, isTurn, type JournalEvent } from "../journal/events.ts";
import type { Projection } from "./projection.ts";
import { applyUsage, emptyUsage, type RunUsage } from "./usage.ts";

export interface UsageOverTime {
  /** Milliseconds of one stretch. */
  every: number;
  /** Only where something was, in the order of time. */
  spent: SpentThen[];
  runs: RunsThen[];
  trees: TreesThen;
}

export interface SpentThen extends Omit<RunUsage, "toolCalls" | "activeMs"> {
  from: number;
  agent: string;
  model: string;
  turns: number;
}

export interface RunsThen {
  from: number;
  started: number;
  completed: number;
  failed: number;
  cancelled: number;
  /** Delegations above the deepest one that was started. */
  depth: number;
}

export interface TreesThen {
  completed: number;
  /** Of those: nobody had to decide or answer anything in them. */
  withoutPeople: number;
  failed: number;
  cancelled: number;
  /** How many runs were started at each depth. */
  depths: number[];
  /** Of all runs, and in which at least one of them was at work. */
  workMs: number;
  busyMs: number;
}

export interface TimeTotals {
  spent: Map<string, SpentThen>;
  runs: Map<number, RunsThen>;
  depths: number[];
  trees: Map<string, TreeTotals>;
  /** By run. */
  known: Map<string, { agent: string; tree: string }>;
  /** By attempt at a model call that is open. */
  calls: Map<string, { model: string; turn: boolean }>;
}

interface TreeTotals {
  end?: "completed" | "failed" | "cancelled";
  people: boolean;
  work: Stretch[];
}

type Stretch = readonly [from: number, to: number];

export interface TimeOptions {
  since?: number;
  every: number;
  /** The report is of this run and all below it: they are one tree, whatever is above. */
  top?: string;
}

/** To be folded over whole journals, one after the other or all in commit order. */
export function timeTotals({ since = 0, every, top }: TimeOptions): Projection<TimeTotals> {
  return {
    name: "usage-over-time",
    initial: () => ({
      spent: new Map(),
      runs: new Map(),
      depths: [],
      trees: new Map(),
      known: new Map(),
      calls: new Map(),
    }),
    apply(totals, event) {
      if (event.type === "RUN_STARTED") {
        const { agent, rootRunId } = event.payload;
        totals.known.set(event.runId, { agent, tree: top ?? rootRunId });
      }
      if (event.type === "MODEL_CALL_STARTED") openCall(totals, event);
      const from = since + Math.floor((event.ts - since) / every) * every;
      if (event.ts >= since) count(totals, event, from);
      else if (isOutcome(event)) totals.calls.delete(callOf(event));
      return totals;
    },
  };
}

export function usageOverTime(totals: TimeTotals, every: number): UsageOverTime {
  const { spent, runs } = totals;
  return {
    every,
    spent: [...spent.values()].sort(
      (a, b) => a.from - b.from || inOrder(a.agent, b.agent) || inOrder(a.model, b.model),
    ),
    runs: [...runs.values()].sort((a, b) => a.from - b.from),
    trees: treesOf(totals),
  };
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function count(totals: TimeTotals, event: JournalEvent, from: number): void {
  switch (event.type) {
    case "RUN_STARTED": {
      const { depth } = event.payload;
      const then = runsAt(totals, from);
      then.started++;
      then.depth = Math.max(then.depth, depth);
      while (totals.depths.length <= depth) totals.depths.push(0);
      totals.depths[depth]!++;
      break;
    }
    case "AGENT_THOUGHT":
    case "MODEL_CALL_FAILED":
      spend(totals, event, from);
      work(totals, event, event.payload.ms);
      break;
    case "TOOL_RESULT":
      work(totals, event, event.payload.ms);
      break;
    case "APPROVAL_DECIDED":
      if (event.payload.decision !== "expire") treeOf(totals, event).people = true;
      break;
    case "OUTCOME_DECIDED":
      treeOf(totals, event).people = true;
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED": {
      const end = ENDS[event.type];
      runsAt(totals, from)[end]++;
      if (totals.known.get(event.runId)?.tree === event.runId) treeOf(totals, event).end = end;
      break;
    }
    default:
  }
}

const ENDS = {
  RUN_COMPLETED: "completed",
  RUN_FAILED: "failed",
  RUN_CANCELLED: "cancelled",
  RUN_MOVED: "cancelled",
} as const;

type Outcome = EventOf<"AGENT_THOUGHT" | "MODEL_CALL_FAILED">;

const isOutcome = (event: JournalEvent): event is Outcome =>
  event.type === "AGENT_THOUGHT" || event.type === "MODEL_CALL_FAILED";

function openCall({ calls }: TimeTotals, event: EventOf<"MODEL_CALL_STARTED">): void {
  const { model, purpose } = event.payload;
  calls.set(callOf(event), { model, turn: isTurn(purpose) });
}

const callOf = ({ runId, payload }: Outcome | EventOf<"MODEL_CALL_STARTED">): string =>
  `${runId}/${payload.callId}~${payload.attempt ?? 1}`;

/** A journal that cannot be read whole may hide who spent something, but not that it was spent. */
const UNKNOWN = "unknown";

function spend({ spent, known, calls }: TimeTotals, event: Outcome, from: number): void {
  const call = callOf(event);
  const { model, turn } = calls.get(call) ?? { model: UNKNOWN, turn: true };
  calls.delete(call);
  const agent = known.get(event.runId)?.agent ?? UNKNOWN;
  const key = JSON.stringify([from, agent, model]);
  const then = spent.get(key) ?? { from, agent, model, turns: 0, ...noSpending() };
  spent.set(key, then);
  if (turn && event.type === "AGENT_THOUGHT") then.turns++;
  const { toolCalls: _, activeMs: __, ...own } = applyUsage({ ...emptyUsage(), ...then }, event);
  Object.assign(then, own);
}

function noSpending(): Omit<RunUsage, "toolCalls" | "activeMs"> {
  const { toolCalls: _, activeMs: __, ...own } = emptyUsage();
  return own;
}

function runsAt({ runs }: TimeTotals, from: number): RunsThen {
  const then = runs.get(from) ?? { from, started: 0, completed: 0, failed: 0, cancelled: 0, depth: 0 };
  runs.set(from, then);
  return then;
}

function treeOf({ trees, known }: TimeTotals, { runId }: JournalEvent): TreeTotals {
  const id = known.get(runId)?.tree ?? runId;
  const tree = trees.get(id) ?? { people: false, work: [] };
  trees.set(id, tree);
  return tree;
}

function work(totals: TimeTotals, event: JournalEvent, ms = 0): void {
  if (ms > 0) treeOf(totals, event).work.push([event.ts - ms, event.ts]);
}

function treesOf({ trees, depths }: TimeTotals): TreesThen {
  const all = [...trees.values()];
  const ended = (end: TreeTotals["end"]): TreeTotals[] => all.filter((tree) => tree.end === end);
  const sum = (of: (work: readonly Stretch[]) => number): number =>
    all.reduce((total, tree) => total + of(tree.work), 0);
  return {
    completed: ended("completed").length,
    withoutPeople: ended("completed").filter(({ people }) => !people).length,
    failed: ended("failed").length,
    cancelled: ended("cancelled").length,
    depths,
    workMs: sum((work) => work.reduce((total, [from, to]) => total + to - from, 0)),
    busyMs: sum(covered),
  };
}

/** The time in which at least one of them was. */
function covered(stretches: readonly Stretch[]): number {
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of stretches.toSorted(([a], [b]) => a - b)) {
    if (to <= until) continue;
    total += to - Math.max(from, until);
    until = to;
  }
  return total;
}
