// The runs that a run has started, as its own journal tells of them.

import type { JournalEvent, Payload, Trigger, Worktree } from "../../journal/events.ts";

export interface ChildRun {
  runId: string;
  agent: string;
  /** The call that it was started for, or its seat in a pattern. */
  key: string;
  trigger: Trigger;
  attempt: number;
  awaited: boolean;
  /** Attempts that are left if this one fails. */
  retries: number;
  ended: Payload<"CHILD_RUN_COMPLETED"> | undefined;
  /** Its work is apart, and must be brought in after its end. */
  worktree: Worktree | undefined;
  merge: { attempts: number; done: boolean };
  /** Marks its words as somebody else's. */
  nonce: string;
  /** When it was started, on the clock that stands still while a person is awaited. */
  startedAt: number;
}

/** By run id, in the order in which they were started. */
export type ChildRuns = Map<string, ChildRun>;

export function addChild(
  children: ChildRuns,
  started: Payload<"CHILD_RUN_STARTED">,
  startedAt: number,
): void {
  const { child_run_id: runId, agent_type: agent, key, trigger } = started;
  const { attempt = 1, awaited = true, retries = 0, worktree, nonce = "" } = started;
  const merge = { attempts: 0, done: worktree === undefined };
  const child = { runId, agent, key, trigger, attempt, awaited, retries, worktree, merge, nonce, startedAt };
  children.set(runId, { ...child, ended: undefined });
}

/** The call by which a run brings a child's work in: `merge/<run>`. */
export const mergeCallId = (runId: string): string => MERGE + runId;

const MERGE = "merge/";

export const isMergeCall = (toolCallId: string): boolean => toolCallId.startsWith(MERGE);

export function trackMerge(children: ChildRuns, event: JournalEvent): void {
  if (children.size === 0 || (event.type !== "TOOL_STARTED" && event.type !== "TOOL_RESULT")) return;
  const { toolCallId, attempt = 1 } = event.payload;
  const child = isMergeCall(toolCallId) ? children.get(toolCallId.slice(MERGE.length)) : undefined;
  if (child) child.merge = { attempts: attempt, done: event.type === "TOOL_RESULT" };
}

/** Has ended, and its work is not brought in yet. */
export const unmergedChild = (children: ChildRuns): ChildRun | undefined =>
  [...children.values()].find(({ ended, merge }) => ended && !merge.done);

/** Undefined: nobody here has started it, or its end is known. */
export function endChild(children: ChildRuns, ended: Payload<"CHILD_RUN_COMPLETED">): ChildRun | undefined {
  const child = children.get(ended.child_run_id);
  if (!child || child.ended) return undefined;
  child.ended = ended;
  return child;
}

export const mayBeRetried = ({ ended, retries }: ChildRun): boolean =>
  ended !== undefined && ended.result.status === "failed" && retries > 0;

/** Those that have not ended. */
export const liveChildren = (children: ChildRuns): ChildRun[] =>
  [...children.values()].filter((child) => !child.ended);

/** Those that a pattern has started, in that order. */
export const childrenByTrigger = (children: ChildRuns, trigger: Trigger): ChildRun[] =>
  [...children.values()].filter((child) => child.trigger === trigger);

/** The latest one that a call, or a seat in a pattern, has. */
export const latestChildFor = (children: ChildRuns, key: string): ChildRun | undefined =>
  [...children.values()].findLast((child) => child.key === key);
