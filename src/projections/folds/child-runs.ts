// The children of a run, folded from the parent's journal.

import type { EventOf, JournalEvent, Payload, Trigger, Unmerged, Worktree } from "../../journal/events.ts";
import { newStepCall, type ToolCall } from "./tool-call.ts";

export interface ChildRun {
  runId: string;
  agent: string;
  /** The call that started the child, or the child's slot in a pattern. */
  key: string;
  trigger: Trigger;
  attempt: number;
  awaited: boolean;
  /** Number of attempts left if this attempt fails. */
  retries: number;
  ended: Payload<"CHILD_RUN_COMPLETED"> | undefined;
  /** The separate worktree in which the child works. It must be merged after the child's end. */
  worktree: Worktree | undefined;
  merge: Merge;
  /** Part of the tag that marks the child's text as untrusted in the parent's prompt. Empty if the text is not marked. */
  nonce: string;
  /** Start time, on a clock that stops while the run waits for a person. */
  startedAt: number;
}

/** The merge of a worktree into the folder around it. */
export interface Merge {
  attempts: number;
  done: boolean;
  /** True if the work is in the folder around the worktree. */
  isThere: boolean;
  /** The question to a person, with the diff. Undefined if no person is asked. */
  asked: ToolCall | undefined;
  /** True if the run has gone on since a person was asked, so that the diff may have changed. */
  isOutdated: boolean;
}

export const newMerge = (done: boolean): Merge => ({
  attempts: 0,
  done,
  isThere: done,
  asked: undefined,
  isOutdated: false,
});

/** Children by run id, in start order. */
export type ChildRuns = Map<string, ChildRun>;

export function addChild(
  children: ChildRuns,
  started: Payload<"CHILD_RUN_STARTED">,
  startedAt: number,
): void {
  const { child_run_id: runId, agent_type: agent, key, trigger } = started;
  const { attempt = 1, awaited = true, retries = 0, worktree, nonce = "" } = started;
  const merge = newMerge(worktree === undefined);
  const child = { runId, agent, key, trigger, attempt, awaited, retries, worktree, merge, nonce, startedAt };
  children.set(runId, { ...child, ended: undefined });
}

/** The id of the call that merges a child's worktree: `merge/<run>`. */
export const mergeCallId = (runId: string): string => MERGE + runId;

const MERGE = "merge/";

export const isMergeCall = (toolCallId: string): boolean => toolCallId.startsWith(MERGE);

export function trackMerge(merge: Merge, event: JournalEvent): void {
  switch (event.type) {
    case "TOOL_PROPOSED":
      merge.asked = askedMerge(event);
      merge.isOutdated = false;
      break;
    case "TOOL_STARTED":
      merge.attempts = event.payload.attempt ?? 1;
      break;
    case "TOOL_RESULT":
      merge.done = true;
      merge.isThere = event.payload.isError !== true;
      break;
    default:
  }
}

function askedMerge({ payload, seq, ts }: EventOf<"TOOL_PROPOSED">): ToolCall {
  const call = newStepCall(payload.toolCallId, payload.name, payload.input);
  return { ...call, proposal: { ...payload, seq, ts } };
}

/** The child whose worktree the call merges. */
export const childOfMerge = (toolCallId: string): string => toolCallId.slice(MERGE.length);

/** The work that a merge has left on its branch. Undefined for other results. */
export function unmergedWork(
  { runId, agent }: Pick<ChildRun, "runId" | "agent">,
  { output }: Payload<"TOOL_RESULT">,
): Unmerged | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const { status, branch, files, detail } = output as Partial<Unmerged> & { status?: unknown };
  if ((status !== "kept" && status !== "conflict") || branch === undefined) return undefined;
  return { run_id: runId, agent, branch, files: files ?? [], detail: detail ?? "" };
}

/** The children that have ended but whose work is not merged yet. */
export const unmergedChildren = (children: ChildRuns): ChildRun[] =>
  [...children.values()].filter(({ ended, merge }) => ended && !merge.done);

/** Records the end of a child. Undefined if this run did not start the child, or if the end is already recorded. */
export function endChild(children: ChildRuns, ended: Payload<"CHILD_RUN_COMPLETED">): ChildRun | undefined {
  const child = children.get(ended.child_run_id);
  if (!child || child.ended) return undefined;
  child.ended = ended;
  return child;
}

export const mayBeRetried = ({ ended, retries }: ChildRun): boolean =>
  ended !== undefined && ended.result.status === "failed" && retries > 0;

export const liveChildren = (children: ChildRuns): ChildRun[] =>
  [...children.values()].filter((child) => !child.ended);

/** The children that were started with this trigger, in start order. */
export const childrenByTrigger = (children: ChildRuns, trigger: Trigger): ChildRun[] =>
  [...children.values()].filter((child) => child.trigger === trigger);

/** The latest child that was started for a call or a slot. */
export const latestChildFor = (children: ChildRuns, key: string): ChildRun | undefined =>
  [...children.values()].findLast((child) => child.key === key);
