// A run's own usage, without its children. Failed and interrupted attempts count, because they might have cost money (P3).

import type { JournalEvent } from "../../journal/events.ts";
import type { Usage } from "../../journal/message.ts";
import { isMergeCall } from "../folds/child-runs.ts";
import type { Projection } from "../projection.ts";
import type { RunUsage } from "../run-row-schema.ts";

export type { RunUsage };

export const emptyUsage = (): RunUsage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0,
  unpriced: 0,
  modelCalls: 0,
  wastedCalls: 0,
  wastedCost: 0,
  toolCalls: 0,
  activeMs: 0,
});

export function applyUsage(usage: RunUsage, event: JournalEvent): RunUsage {
  switch (event.type) {
    case "AGENT_THOUGHT":
      usage.modelCalls++;
      usage.activeMs += event.payload.ms;
      spend(usage, event.payload.usage, event.payload.cost);
      break;
    case "MODEL_CALL_FAILED":
      usage.wastedCalls++;
      usage.activeMs += event.payload.ms ?? 0;
      if (event.payload.usage) spend(usage, event.payload.usage, event.payload.cost ?? null);
      else usage.cost += event.payload.cost ?? 0;
      usage.wastedCost += event.payload.cost ?? 0;
      break;
    case "RUNNER_SPENT":
      usage.cost += event.payload.cost;
      break;
    case "TOOL_STARTED":
    case "CHILD_RUN_STARTED":
      if (isCallStart(event)) usage.toolCalls++;
      break;
    case "TOOL_RESULT":
      usage.activeMs += event.payload.ms ?? 0;
      break;
    default:
  }
  return usage;
}

/** Whether the event is the first start of a call. Children that a pattern started and merges of worktrees are not calls. */
export function isCallStart({ type, payload }: JournalEvent): boolean {
  if (type === "CHILD_RUN_STARTED") return payload.trigger === "delegation" && (payload.attempt ?? 1) === 1;
  return type === "TOOL_STARTED" && (payload.attempt ?? 1) === 1 && !isMergeCall(payload.toolCallId);
}

export const totalTokens = (usage: RunUsage): number => usage.input + usage.output;

function spend(total: RunUsage, usage: Usage, cost: number | null): void {
  total.input += usage.input;
  total.output += usage.output;
  total.cacheRead += usage.cacheRead ?? 0;
  total.cacheWrite += usage.cacheWrite ?? 0;
  if (cost === null) total.unpriced++;
  else total.cost += cost;
}

export const usageProjection: Projection<RunUsage> = {
  name: "usage",
  initial: emptyUsage,
  apply: applyUsage,
};
