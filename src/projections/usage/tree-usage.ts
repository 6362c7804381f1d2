// Usage and results of one tree, small enough to be stored next to its journals (S1-70, S1-75, S2-93, S2-94).
// `usage-report.ts` adds up the trees.
//  - Events must be folded in commit order. A model call counts once, when its outcome is recorded, for its agent and its model.
//  - Times are rounded to buckets. A bucket of one millisecond makes them exact.
//  - `open` holds state for interpreting later events. It is deleted when the last run has ended.

import { type EventOf, isTurn, type JournalEvent } from "../../journal/events.ts";
import { END_STATUSES } from "../folds/run-row.ts";
import { addDuration, type Durations } from "./durations.ts";
import { applyUsage, emptyUsage, isCallStart, type RunUsage } from "./run-usage.ts";
import { addTurnToBaseline, type Baseline, newBaseline } from "./single-agent-estimate.ts";

export interface TreeUsage {
  /** The top run of the tree, its agent, the beginning of its task, and the user who started it. */
  top: string;
  agent?: string;
  task?: string;
  user?: string;
  updatedAt: number;
  cells: UsageCell[];
  edges: EdgeCell[];
  ends: EndCell[];
  end?: "completed" | "failed" | "cancelled";
  /** Whether a person had to decide or answer something. */
  people: boolean;
  /** Number of runs of reviewing agents. */
  reviews: number;
  baseline: Baseline;
  /** Total working time of all runs, and the time in which at least one run was working. `busyMs` is set once all runs have ended. */
  workMs: number;
  busyMs: number;
  open?: OpenTree;
}

/** The usage of one agent and model in one bucket of time. `model` is empty for usage that belongs to no model, such as tool calls. */
export interface UsageCell extends RunUsage {
  bucket: number;
  agent: string;
  model: string;
  turns: number;
  /** Durations of the answered model calls. */
  callTimes?: Durations;
}

/** Delegations from one agent to another, in the bucket of their start. */
export interface EdgeCell {
  bucket: number;
  from: string;
  to: string;
  started: number;
  succeeded: number;
  failed: number;
  cancelled: number;
}

export interface EndCell {
  bucket: number;
  /** Number of runs started at each depth, and for each agent. */
  depths: number[];
  agents: Record<string, number>;
  completed: number;
  failed: number;
  cancelled: number;
  /** Working times of the runs that ended, by agent. */
  runTimes?: Record<string, Durations>;
}

interface OpenTree {
  /** Agents of runs that have not ended, by run id. */
  agents: Record<string, string>;
  /** Working time so far of runs that have not ended, by run id. */
  active?: Record<string, number>;
  /** Open model calls, by attempt. */
  calls: Record<string, { model: string; turn: boolean }>;
  /** Indexes into the edges, by id of a child that has not ended. */
  edges: Record<string, number>;
  work: Stretch[];
}

type Stretch = [from: number, to: number];

export function emptyTreeUsage(top: string): TreeUsage {
  return {
    top,
    updatedAt: 0,
    cells: [],
    edges: [],
    ends: [],
    people: false,
    reviews: 0,
    baseline: newBaseline(),
    workMs: 0,
    busyMs: 0,
  };
}

/** A quarter of an hour, so that midnight in every time zone is the start of a bucket. */
export const BUCKET_MS = 900_000;

export function applyTreeUsage(tree: TreeUsage, event: JournalEvent, bucketMs = BUCKET_MS): TreeUsage {
  const bucket = Math.floor(event.ts / bucketMs) * bucketMs;
  tree.updatedAt = Math.max(tree.updatedAt, event.ts);
  switch (event.type) {
    case "RUN_STARTED":
      startRun(tree, event, bucket);
      break;
    case "MODEL_CALL_STARTED": {
      const { model, purpose } = event.payload;
      openOf(tree).calls[callOf(event)] = { model, turn: isTurn(purpose) };
      break;
    }
    case "AGENT_THOUGHT":
    case "MODEL_CALL_FAILED":
      spend(tree, event, bucket);
      break;
    case "RUNNER_SPENT": {
      const { model } = openOf(tree).calls[callOf(event)] ?? { model: UNKNOWN };
      applyUsage(cellOf(tree, bucket, agentOf(tree, event), model), event);
      break;
    }
    case "TOOL_STARTED":
      startCall(tree, event, bucket);
      break;
    case "TOOL_RESULT":
      applyUsage(cellOf(tree, bucket, agentOf(tree, event), ""), event);
      addWork(tree, event, event.payload.ms);
      break;
    case "APPROVAL_DECIDED":
      if (event.payload.decision !== "expire") tree.people = true;
      break;
    case "OUTCOME_DECIDED":
      tree.people = true;
      break;
    case "CHILD_RUN_STARTED":
      startCall(tree, event, bucket);
      trackEdge(tree, event, bucket);
      break;
    case "CHILD_RUN_COMPLETED":
      trackEdge(tree, event, bucket);
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED":
      endRun(tree, event, bucket);
      break;
    default:
  }
  return tree;
}

const MAX_TASK = 120;

const REVIEWS = /review|critic|audit/i;

function startRun(tree: TreeUsage, { runId, payload }: EventOf<"RUN_STARTED">, bucket: number): void {
  const { agent, depth, task, userId } = payload;
  if (runId === tree.top) {
    tree.agent = agent;
    tree.task = task.trim().split("\n", 1)[0]!.slice(0, MAX_TASK).toWellFormed();
    if (userId !== undefined) tree.user = userId;
  }
  openOf(tree).agents[runId] = agent;
  const then = endsAt(tree, bucket);
  while (then.depths.length <= depth) then.depths.push(0);
  then.depths[depth]!++;
  then.agents[agent] = (then.agents[agent] ?? 0) + 1;
  if (REVIEWS.test(agent)) tree.reviews++;
}

function startCall(
  tree: TreeUsage,
  event: EventOf<"TOOL_STARTED" | "CHILD_RUN_STARTED">,
  bucket: number,
): void {
  if (isCallStart(event)) applyUsage(cellOf(tree, bucket, agentOf(tree, event), ""), event);
}

function spend(tree: TreeUsage, event: EventOf<"AGENT_THOUGHT" | "MODEL_CALL_FAILED">, bucket: number): void {
  const { calls } = openOf(tree);
  const call = callOf(event);
  const { model, turn } = calls[call] ?? { model: UNKNOWN, turn: true };
  delete calls[call];
  const cell = cellOf(tree, bucket, agentOf(tree, event), model);
  applyUsage(cell, event);
  addWork(tree, event, event.payload.ms);
  if (event.type === "AGENT_THOUGHT") {
    cell.callTimes ??= {};
    addDuration(cell.callTimes, event.payload.ms);
  }
  if (event.type !== "AGENT_THOUGHT" || !turn) return;
  cell.turns++;
  addTurnToBaseline(tree.baseline, event, event.runId === tree.top);
}

function addWork(tree: TreeUsage, { runId, ts }: JournalEvent, ms = 0): void {
  if (ms <= 0) return;
  tree.workMs += ms;
  const open = openOf(tree);
  open.work.push([ts - ms, ts]);
  open.active ??= {};
  open.active[runId] = (open.active[runId] ?? 0) + ms;
}

function trackEdge(
  tree: TreeUsage,
  event: EventOf<"CHILD_RUN_STARTED" | "CHILD_RUN_COMPLETED">,
  bucket: number,
): void {
  const open = openOf(tree);
  const { child_run_id: child } = event.payload;
  if (event.type === "CHILD_RUN_STARTED") {
    const [from, to] = [agentOf(tree, event), event.payload.agent_type];
    const found = tree.edges.findIndex(
      (each) => each.bucket === bucket && each.from === from && each.to === to,
    );
    const index =
      found >= 0
        ? found
        : tree.edges.push({ bucket, from, to, started: 0, succeeded: 0, failed: 0, cancelled: 0 }) - 1;
    tree.edges[index]!.started++;
    open.edges[child] = index;
    return;
  }
  const edge = tree.edges[open.edges[child] ?? -1];
  delete open.edges[child];
  const { status } = event.payload.result;
  if (edge) edge[status === "completed" ? "succeeded" : status]++;
}

function endRun(tree: TreeUsage, { type, runId }: EventOf<keyof typeof END_STATUSES>, bucket: number): void {
  const how = END_STATUSES[type];
  const open = openOf(tree);
  const then = endsAt(tree, bucket);
  then[how]++;
  then.runTimes ??= {};
  const agent = open.agents[runId] ?? UNKNOWN;
  then.runTimes[agent] ??= {};
  addDuration(then.runTimes[agent], open.active?.[runId] ?? 0);
  if (runId === tree.top) tree.end = how;
  delete open.agents[runId];
  delete open.active?.[runId];
  if (Object.keys(open.agents).length > 0) return;
  tree.busyMs += coveredTime(open.work);
  delete tree.open;
  tree.baseline = newBaseline(tree.baseline);
}

/** Total time that these stretches cover. Overlapping time counts once. */
export function coveredTime(stretches: readonly Stretch[]): number {
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of stretches.toSorted(([a], [b]) => a - b)) {
    if (to <= until) continue;
    total += to - Math.max(from, until);
    until = to;
  }
  return total;
}

function openOf(tree: TreeUsage): OpenTree {
  tree.open ??= { agents: {}, calls: {}, edges: {}, work: [] };
  return tree.open;
}

/** If a journal has unreadable events, the agent or model might be unknown. The spending must still be counted. */
const UNKNOWN = "unknown";

const agentOf = ({ open }: TreeUsage, { runId }: JournalEvent): string => open?.agents[runId] ?? UNKNOWN;

const callOf = ({
  runId,
  payload,
}: EventOf<"MODEL_CALL_STARTED" | "AGENT_THOUGHT" | "MODEL_CALL_FAILED" | "RUNNER_SPENT">): string =>
  `${runId}/${payload.callId}~${payload.attempt ?? 1}`;

function cellOf(tree: TreeUsage, bucket: number, agent: string, model: string): UsageCell {
  const known = tree.cells.findLast(
    (each) => each.bucket === bucket && each.agent === agent && each.model === model,
  );
  if (known) return known;
  const cell = { bucket, agent, model, turns: 0, ...emptyUsage() };
  tree.cells.push(cell);
  return cell;
}

function endsAt(tree: TreeUsage, bucket: number): EndCell {
  const known = tree.ends.findLast((each) => each.bucket === bucket);
  if (known) return known;
  const then = { bucket, depths: [], agents: {}, completed: 0, failed: 0, cancelled: 0 };
  tree.ends.push(then);
  return then;
}
