// What a child begins with: everything that binds its parent, and less.

import { childRunId, type RunId } from "../ids.ts";
import type { Definition } from "../journal/definition.ts";
import type { Ancestor, EventBody, Payload, Trigger } from "../journal/events.ts";
import { childFor } from "../projections/child-runs.ts";
import { furtherRuns } from "../projections/team-state.ts";
import type { Spawn } from "../stores/store.ts";
import { limitsOf } from "./admit.ts";
import type { LoopParts } from "./parts.ts";
import { childrenLimit, runsLimit } from "./refuse-delegation.ts";
import type { RunJournal } from "./run-journal.ts";

type Start = Payload<"RUN_STARTED">;

/** What is the child's own: whoever starts it says so. */
export interface Begun
  extends Pick<
    Start,
    "trigger" | "task" | "input" | "criteria" | "contextFiles" | "reason" | "team" | "continues"
  > {
  /** The call that it is started for, or its place in a pattern. */
  key: string;
  maxTurns?: number | undefined;
  /** False: nobody waits for it. */
  awaited?: boolean;
  /** Attempts that are left if the first one fails. */
  retries?: number | undefined;
}

/** A child, ready to be started: its parent's intent and its own beginning are one transaction (J7). */
export interface Child {
  started: EventBody;
  spawn: Omit<Spawn, "takesPlace">;
}

/** `events`: what stands in its journal from the beginning. */
export async function childOf(
  begun: Begun,
  definition: Definition,
  events: EventBody[],
  run: RunJournal,
  parts: LoopParts,
): Promise<Child | { problem: string }> {
  const { key, trigger, task, awaited = true, retries = 0 } = begun;
  const attempt = (childFor(run.state.children, key)?.attempt ?? 0) + 1;
  const runId = childRunId(parts.digest, run.runId, key, attempt);
  const place = await placeOf(definition, runId, run, parts);
  if ("problem" in place) return place;
  const { limits } = run.state.start!;
  const children = childrenLimit(limits) + furtherRuns(run.state.team);
  const started: Payload<"CHILD_RUN_STARTED"> = {
    child_run_id: runId,
    agent_type: definition.name,
    task,
    trigger,
    key,
    ...(attempt > 1 ? { attempt } : {}),
    ...(awaited ? {} : { awaited: false }),
    ...(retries > 0 && attempt === 1 ? { retries } : {}),
    ...(place.worktree === undefined ? {} : { worktree: place.worktree }),
    nonce: parts.ids.nonce(),
  };
  return {
    started: { type: "CHILD_RUN_STARTED", payload: started },
    spawn: {
      runId,
      start: { ...(await startOf(begun, definition, run, parts)), ...place },
      events,
      limits: { children, runs: runsLimit(limits), concurrent: parts.concurrent },
    },
  };
}

/** Where it works: with its parent, or in a worktree of its own (D6). */
async function placeOf(
  { workspace: wanted, name }: Definition,
  runId: RunId,
  run: RunJournal,
  parts: LoopParts,
): Promise<Pick<Start, "workspace" | "worktree"> | { problem: string }> {
  const { workspace } = run.state.start!;
  if (wanted !== "worktree") return { workspace };
  const planned = await parts.worktrees.plan(workspace, runId);
  return "problem" in planned
    ? { problem: `${name} cannot be started in a worktree: ${planned.problem}` }
    : planned;
}

/** P12: what a child may do is what its parent may, and less: everything that binds the parent is handed down. */
async function startOf(
  begun: Begun,
  definition: Definition,
  run: RunJournal,
  parts: LoopParts,
): Promise<Start> {
  const parent = run.state.start!;
  const { attended, rootRunId, budgetRunId, sessionId, userId, workspace, approvals, permissions } = parent;
  const { key, maxTurns, awaited: _, retries: __, ...own } = begun;
  return {
    agent: definition.name,
    definition: await parts.store.putBlob(JSON.stringify(definition)),
    kind: definition.kind,
    depth: parent.depth + (begun.trigger === "delegation" ? 1 : 0),
    ...known(own),
    trigger: own.trigger,
    task: own.task,
    mode: "auto",
    attended,
    rootRunId,
    ...(budgetRunId === undefined ? {} : { budgetRunId }),
    ...(run.state.hops === 0 ? {} : { hops: run.state.hops }),
    parentRunId: run.runId,
    parentKey: key,
    ancestors: [...(parent.ancestors ?? []), asAncestor(run)],
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(userId === undefined ? {} : { userId }),
    workspace,
    limits: childLimits(maxTurns, definition, parent, parts),
    approvals,
    ...(permissions === undefined ? {} : { permissions }),
  };
}

/** Where the same agent stopped the last time that it was started so, in this run or in the one that it continues. */
export async function lastOf(
  agent: string,
  trigger: Trigger,
  run: RunJournal,
  parts: LoopParts,
): Promise<Start["continues"]> {
  const last = [...run.childrenBefore(), ...run.state.children.values()].findLast(
    (child) => child.agent === agent && child.trigger === trigger,
  );
  const head = last && (await parts.store.head(last.runId));
  return head && { runId: last.runId, ...head };
}

/** An event holds what there is: nothing in it is `undefined`. */
function known<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function asAncestor({ runId, definition }: RunJournal): Ancestor {
  const { ask, deny } = definition.permissions;
  return { runId, agent: definition.name, ask, deny };
}

/** Its own, never beyond what was asked for, nor deeper than its parent may go; what the tree may spend is the root's. */
function childLimits(
  maxTurns: number | undefined,
  definition: Definition,
  parent: Start,
  parts: LoopParts,
): Start["limits"] {
  const own = limitsOf({ approvalTimeout: parts.approvalTimeout, ...parts.limits }, definition.limits, {});
  const { tree } = parent.limits;
  return {
    ...own,
    maxTurns: Math.min(own.maxTurns, maxTurns ?? Infinity),
    maxDepth: Math.min(own.maxDepth, parent.limits.maxDepth),
    tree,
  };
}
