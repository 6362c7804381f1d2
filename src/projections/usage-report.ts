// What was spent and how delegations went, by agent, by model and by edge, over the journals of any number of runs
// (S1-70, S2-93, S2-94).
//  Each model call counts once: at its outcome, for the agent that asked and for the model that was asked. So the sums
//  over agents and over models are the same.
//  What happened before the beginning of the report counts for nothing, but tells who is who.

import type { EventOf, JournalEvent, Payload } from "../journal/events.ts";
import type { Projection } from "./projection.ts";
import { applyUsage, emptyUsage, type RunUsage } from "./usage.ts";

export interface UsageReport {
  /** The dearest first. */
  byAgent: AgentUsage[];
  byModel: ModelUsage[];
  /** The busiest first. */
  byEdge: EdgeUsage[];
}

export interface AgentUsage extends RunUsage {
  agent: string;
  /** Those that were started. */
  runs: number;
}

export interface ModelUsage extends Omit<RunUsage, "toolCalls"> {
  model: string;
}

/** From an agent to one that it has started. What has neither succeeded, failed nor been cancelled is under way. */
interface Edge {
  from: string;
  to: string;
  started: number;
  succeeded: number;
  failed: number;
  cancelled: number;
}

export interface EdgeUsage extends Edge {
  /** Of those that succeeded or failed: a cancel tells nothing of the agent. Null: there are none. */
  successRate: number | null;
}

export interface UsageTotals {
  agents: Map<string, AgentUsage>;
  models: Map<string, RunUsage>;
  edges: Map<string, Edge>;
  /** By run. */
  agentOf: Map<string, string>;
  /** By attempt at a model call that is open. */
  modelOf: Map<string, string>;
  /** By child that has not ended yet. */
  edgeOf: Map<string, Edge>;
}

/** To be folded over whole journals, one after the other or all in commit order. */
export function usageTotals(since = 0): Projection<UsageTotals> {
  return {
    name: "usage-report",
    initial: () => ({
      agents: new Map(),
      models: new Map(),
      edges: new Map(),
      agentOf: new Map(),
      modelOf: new Map(),
      edgeOf: new Map(),
    }),
    apply(totals, event) {
      applyTotals(totals, event, event.ts >= since);
      return totals;
    },
  };
}

export function usageReport({ agents, models, edges }: UsageTotals): UsageReport {
  return {
    byAgent: [...agents.values()].sort((a, b) => b.cost - a.cost || inOrder(a.agent, b.agent)),
    byModel: Array.from(models, asModel).sort((a, b) => b.cost - a.cost || inOrder(a.model, b.model)),
    byEdge: Array.from(edges.values(), withRate).sort(
      (a, b) => b.started - a.started || inOrder(a.from, b.from) || inOrder(a.to, b.to),
    ),
  };
}

function applyTotals(totals: UsageTotals, event: JournalEvent, counts: boolean): void {
  switch (event.type) {
    case "RUN_STARTED":
      totals.agentOf.set(event.runId, event.payload.agent);
      if (counts) ofAgent(totals, event).runs++;
      break;
    case "MODEL_CALL_STARTED":
      totals.modelOf.set(callOf(event), event.payload.model);
      break;
    case "AGENT_THOUGHT":
    case "MODEL_CALL_FAILED": {
      const model = takeModel(totals, event);
      if (!counts) break;
      applyUsage(ofAgent(totals, event), event);
      applyUsage(entryOf(totals.models, model, emptyUsage), event);
      break;
    }
    case "TOOL_RESULT":
      if (counts) applyUsage(ofAgent(totals, event), event);
      break;
    case "CHILD_RUN_STARTED":
      if (counts) openEdge(totals, agentOf(totals, event), event.payload);
      break;
    case "CHILD_RUN_COMPLETED":
      closeEdge(totals, event.payload);
      break;
    default:
  }
}

/** A journal that cannot be read whole may hide who spent something, but not that it was spent. */
const UNKNOWN = "unknown";

const agentOf = (totals: UsageTotals, { runId }: JournalEvent): string =>
  totals.agentOf.get(runId) ?? UNKNOWN;

function ofAgent(totals: UsageTotals, event: JournalEvent): AgentUsage {
  const agent = agentOf(totals, event);
  return entryOf(totals.agents, agent, () => ({ agent, runs: 0, ...emptyUsage() }));
}

/** A call has one outcome, so its model is not needed again. */
function takeModel({ modelOf }: UsageTotals, event: EventOf<"AGENT_THOUGHT" | "MODEL_CALL_FAILED">): string {
  const call = callOf(event);
  const model = modelOf.get(call) ?? UNKNOWN;
  modelOf.delete(call);
  return model;
}

function callOf({
  runId,
  payload,
}: EventOf<"MODEL_CALL_STARTED" | "AGENT_THOUGHT" | "MODEL_CALL_FAILED">): string {
  return `${runId}/${payload.callId}~${payload.attempt ?? 1}`;
}

function openEdge(
  { edges, edgeOf }: UsageTotals,
  from: string,
  { child_run_id: child, agent_type: to }: Payload<"CHILD_RUN_STARTED">,
): void {
  const none = { started: 0, succeeded: 0, failed: 0, cancelled: 0 };
  const edge = entryOf(edges, JSON.stringify([from, to]), () => ({ from, to, ...none }));
  edge.started++;
  edgeOf.set(child, edge);
}

function closeEdge(
  { edgeOf }: UsageTotals,
  { child_run_id: child, result }: Payload<"CHILD_RUN_COMPLETED">,
): void {
  const edge = edgeOf.get(child);
  if (!edge) return;
  edgeOf.delete(child);
  edge[result.status === "completed" ? "succeeded" : result.status]++;
}

/** Tools are called by agents, not by models. */
function asModel([model, usage]: [string, RunUsage]): ModelUsage {
  const { toolCalls: _, ...own } = usage;
  return { model, ...own };
}

function withRate(edge: Edge): EdgeUsage {
  const { succeeded, failed } = edge;
  return { ...edge, successRate: succeeded + failed > 0 ? succeeded / (succeeded + failed) : null };
}

function entryOf<T>(entries: Map<string, T>, key: string, make: () => T): T {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
