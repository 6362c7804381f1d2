// Prepares the start of a child run. All restrictions of the parent also apply to the child.

import { CadreError, isTemporary } from "../../errors.ts";
import { childRunId, type RunId } from "../../ids.ts";
import { type Definition, poolIn, untrustedFiles } from "../../journal/definition.ts";
import type { Ancestor, EventBody, Payload, Trigger } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { latestChildFor } from "../../projections/folds/child-runs.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { taintForNewRun } from "../../projections/folds/taint.ts";
import { runsAfterFirstRound } from "../../projections/folds/team-state.ts";
import type { Spawn } from "../../stores/store.ts";
import type { DelegationRequest } from "../builtin-tools/declared/delegate.ts";
import { toolsBeyond } from "../calls/escalation.ts";
import { limitsOf } from "../commands/admit.ts";
import { hasBudget, treeBudgetOf } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { currentRunState } from "../drive/run-state-cache.ts";
import type { LoopParts } from "../parts.ts";
import { type CallRefusal, childrenLimit, runsLimit } from "./check-delegation.ts";

type Start = Payload<"RUN_STARTED">;

export type ChildParts = Pick<
  LoopParts,
  | "approvalTimeout"
  | "checkPrices"
  | "chooseModel"
  | "digest"
  | "findAgent"
  | "ids"
  | "limits"
  | "marksAnswers"
  | "maxConcurrent"
  | "offers"
  | "pinInstructions"
  | "store"
  | "tools"
  | "worktrees"
>;

/** The fields of a child's start that are specific to the child. The other fields come from its parent and its definition. */
export interface ChildRequest
  extends Pick<
    Start,
    | "trigger"
    | "task"
    | "input"
    | "requestInput"
    | "criteria"
    | "contextFiles"
    | "attachments"
    | "reason"
    | "team"
    | "continues"
    | "model"
  > {
  /** Id of the call that the child is started for, or the child's slot in a pattern. */
  key: string;
  maxTurns?: number | undefined;
  /** False if the parent does not wait for the child. */
  awaited?: boolean;
  /** Number of further attempts if the first one fails. */
  retries?: number | undefined;
  /** Hash of the call that a person approved. */
  receipt?: string;
}

/** The agent's current definition, with the requested model. */
export async function childDefinition(
  agent: string,
  asked: DelegationRequest,
  run: RunJournal,
  parts: ChildParts,
): Promise<Definition | CallRefusal> {
  try {
    const definition = await parts.findAgent(agent);
    const changed = await changedAgentProblem(definition, run, parts);
    if (changed !== undefined)
      return { output: `${agent} cannot be started: ${changed}.`, outcome: "denied" };
    if (asked.model === undefined)
      return definition.inheritsModel ? { ...definition, models: run.definition.models } : definition;
    const chosen = parts.chooseModel(asked.model);
    if ("problem" in chosen) return { output: chosen.problem, outcome: "error" };
    return { ...definition, models: [chosen.model] };
  } catch (error) {
    if (!(error instanceof CadreError) || isTemporary(error)) throw error;
    return { output: `${agent} cannot be started: ${error.message}`, outcome: "error" };
  }
}

/** A child that is ready to start. One transaction writes the parent's intent and the child's start (J7). */
export interface PreparedChild {
  started: EventBody;
  spawn: Omit<Spawn, "slot">;
}

/** `events` are the first events of the child's journal after RUN_STARTED. */
export async function prepareChild(
  begun: ChildRequest,
  ownDefinition: Definition,
  events: EventBody[],
  run: RunJournal,
  parts: ChildParts,
): Promise<PreparedChild | { problem: string }> {
  const definition = await withInstructions(ownDefinition, run.definition, parts);
  const { key, trigger, task, awaited = true, retries = 0, receipt } = begun;
  const attempt = (latestChildFor(run.state.children, key)?.attempt ?? 0) + 1;
  const runId = childRunId(parts.digest, run.runId, key, attempt);
  const where = await workspaceFor(definition, runId, run, parts);
  if ("problem" in where) return where;
  const start = await startOf(begun, definition, run, parts);
  const prices = await parts.checkPrices(definition, start.limits);
  if (prices.problem !== undefined)
    return { problem: `${definition.name} cannot be started: ${prices.problem}` };
  const { limits } = run.state.start!;
  const children = childrenLimit(limits) + runsAfterFirstRound(run.state.team);
  const started: Payload<"CHILD_RUN_STARTED"> = {
    child_run_id: runId,
    agent_type: definition.name,
    task,
    trigger,
    key,
    ...(attempt > 1 ? { attempt } : {}),
    ...(awaited ? {} : { awaited: false }),
    ...(retries > 0 && attempt === 1 ? { retries } : {}),
    ...(parts.marksAnswers ? { nonce: parts.ids.nonce() } : {}),
    ...omitUndefined({ worktree: where.worktree, receipt }),
  };
  return {
    started: { type: "CHILD_RUN_STARTED", payload: started },
    spawn: {
      runId,
      start: { ...start, ...where, ...omitUndefined({ unpriced: prices.unpriced }) },
      events,
      limits: { children, runs: runsLimit(limits), concurrent: parts.maxConcurrent },
    },
  };
}

/**
 * A child gets the instructions of its parent, so that siblings share a cached prompt, and edits during the run change nothing.
 * A child gets other instructions only if its agent's file names other instruction files than the parent's.
 */
async function withInstructions(
  child: Definition,
  parent: Definition,
  { pinInstructions }: Pick<ChildParts, "pinInstructions">,
): Promise<Definition> {
  const isSame = JSON.stringify(parent.instructions) === JSON.stringify(child.instructions);
  if (!isSame || parent.runner || child.runner) return pinInstructions(child);
  const { instructionFiles: _, ...own } = child;
  return { ...own, ...omitUndefined({ instructionFiles: parent.instructionFiles }) };
}

/** The child's folder: the parent's folder, or a separate worktree (D6). */
async function workspaceFor(
  { workspace: wanted, name }: Definition,
  runId: RunId,
  run: RunJournal,
  parts: ChildParts,
): Promise<Pick<Start, "workspace" | "worktree" | "mergesInto"> | { problem: string }> {
  const { workspace, mergesInto = [] } = run.state.start!;
  if (wanted !== "worktree") return { workspace, ...(mergesInto.length === 0 ? {} : { mergesInto }) };
  const planned = await parts.worktrees.plan(workspace, runId);
  return "problem" in planned
    ? { problem: `${name} cannot be started in a worktree: ${planned.problem}` }
    : { ...planned, mergesInto: [workspace, ...mergesInto] };
}

/** RUN_STARTED of the child. P12: a child never has more rights than its parent, so all of the parent's restrictions apply. */
async function startOf(
  begun: ChildRequest,
  definition: Definition,
  run: RunJournal,
  parts: ChildParts,
): Promise<Start> {
  const parent = run.state.start!;
  const { attended, rootRunId, budgetRunId, sessionId, userId, workspace, approvals, permissions } = parent;
  const { key, maxTurns, awaited: _, retries: __, receipt: ___, ...own } = begun;
  // Only the model of a tainted run can be misled. A pattern always starts the agents that its file names.
  const isChosen = begun.trigger === "delegation" || begun.trigger === "route";
  const more = isChosen ? toolsBeyond(definition, run, parts) : [];
  return {
    agent: definition.name,
    definition: await parts.store.blobs.put(JSON.stringify(definition)),
    kind: definition.kind,
    depth: parent.depth + (begun.trigger === "delegation" ? 1 : 0),
    ...omitUndefined(own),
    trigger: own.trigger,
    task: own.task,
    mode: "auto",
    attended,
    rootRunId,
    ...omitUndefined({ budgetRunId, hops: run.state.hops || undefined }),
    parentRunId: run.runId,
    parentKey: key,
    ancestors: [...(parent.ancestors ?? []), asAncestor(run)],
    ...omitUndefined({ sessionId, userId }),
    workspace,
    ...omitUndefined({ environment: parent.environment }),
    ...poolIn(definition),
    ...childLimits(maxTurns, begun.trigger, { definition, parent: run.state, parts }),
    approvals,
    ...omitUndefined({ permissions, effects: parent.effects }),
    ...taintForNewRun(run.state.taint, untrustedFiles(definition), more),
  };
}

/** The previous child with the same agent and trigger. It was started by this run, or by a run that this run continues. */
export async function previousRunOf(
  { agent, trigger, key }: { agent: string; trigger: Trigger; key: string },
  run: RunJournal,
  parts: ChildParts,
): Promise<Start["continues"]> {
  // A second attempt does not continue the first attempt, because the model would then read everything twice (K3).
  const others = [...run.state.children.values()].filter((child) => child.key !== key);
  const last = [...run.continuedChildren(), ...others].findLast(
    (child) => child.agent === agent && child.trigger === trigger,
  );
  const head = last && (await parts.store.journal.head(last.runId));
  return head && { runId: last.runId, ...head };
}

function asAncestor({ runId, definition }: RunJournal): Ancestor {
  const { ask, deny } = definition.permissions;
  return { runId, agent: definition.name, ask, deny };
}

/** The agent's own limits, lowered by the request and by the parent's depth limit. The tree's budget is set at the root. */
function childLimits(
  maxTurns = Infinity,
  trigger: Trigger,
  { definition, parent, parts }: { definition: Definition; parent: RunJournal["state"]; parts: ChildParts },
): Pick<Start, "limits" | "ownMaxTurns"> {
  const own = limitsOf(definition, parts);
  const { onBudget, maxDepth } = parent.start!.limits;
  const tree = treeBudgetOf(parent);
  const isLowered = trigger === "delegation" && maxTurns < own.maxTurns;
  return {
    limits: {
      ...own,
      maxTurns: Math.min(own.maxTurns, maxTurns),
      maxDepth: Math.min(own.maxDepth, maxDepth),
      tree: tree && hasBudget(tree) ? { onBudget, ...tree } : tree,
    },
    ...(isLowered ? { ownMaxTurns: own.maxTurns } : {}),
  };
}

/**
 * A37: returns an error if a run of this tree changed the agent's file.
 * The person who started the tree has never seen what the changed file allows.
 * The check covers this run, the results of its children, and its ancestors.
 */
export async function changedAgentProblem(
  { source, steps }: Definition,
  { state }: RunJournal,
  { store }: Pick<LoopParts, "store">,
): Promise<string | undefined> {
  const files = [source.file, ...(steps ? [steps.module] : [])];
  const changedBy = (one: RunState): string | undefined => files.find((file) => one.files.has(file));
  let changed = changedBy(state);
  for (const { runId } of state.start!.ancestors ?? []) {
    changed ??= changedBy(await currentRunState(store, runId));
  }
  return changed && `${changed} was changed by a run of this tree, so it is not used before the next one`;
}
