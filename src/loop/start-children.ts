// Starts the children that calls ask for. The parent's intent and the child's first event are one transaction: a child
// exists if, and only if, its parent's journal says so, and its id is known before (J7, J10).

import { CadreError } from "../errors.ts";
import { childRunId } from "../ids.ts";
import { DEFAULT_DELEGATION, type Definition } from "../journal/definition.ts";
import type { EventBody, Payload } from "../journal/events.ts";
import { childFor } from "../projections/child-runs.ts";
import { effectiveInput, type ToolCall } from "../projections/run-state.ts";
import type { Spawn } from "../stores/store.ts";
import { contextFor } from "./child-context.ts";
import { childStart } from "./child-start.ts";
import { type Delegated, delegateNamed, readDelegation } from "./delegation.ts";
import type { LoopParts } from "./parts.ts";
import { contextModeOf, currentGrants, judgeDelegation } from "./propose.ts";
import {
  childrenLimit,
  type Refused,
  refuseDelegation,
  refusedByTree,
  runsLimit,
} from "./refuse-delegation.ts";
import { inputProblem } from "./report.ts";
import type { RunJournal } from "./run-journal.ts";

export async function startChildren(
  ids: readonly string[],
  run: RunJournal,
  parts: LoopParts,
): Promise<void> {
  const calls = ids.map((id) => run.state.calls.get(id)!);
  const prepared = await Promise.all(calls.map((call) => prepare(call, run, parts)));
  if (!parts.mayBegin()) return run.release();
  // Begun in the order of the calls, and committed together. What is refused is written after that: a result folded
  // ahead while an intent is under way could be lost from the fold, and its child started all the same.
  const refusals = await Promise.all(
    prepared.map((child, index) => begin(child, { isFirst: index === 0, run, parts })),
  );
  refusals.forEach((refused, index) => {
    if (refused) run.record(refusal(calls[index]!, refused));
  });
}

/** Why it did not begin, if the model is to be told. */
async function begin(
  child: Child | Refused,
  { isFirst, run, parts }: { isFirst: boolean; run: RunJournal; parts: LoopParts },
): Promise<Refused | undefined> {
  if ("outcome" in child) return child;
  const { started, answered, awaited } = child;
  const spawn = { ...child.spawn, takesPlace: isFirst && awaited };
  const refused = await run.begin([started, ...answered], { spawn });
  return refused && refusedByTree(refused, run, parts.concurrent);
}

async function prepare(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<Child | Refused> {
  const asked = readDelegation({ ...call, input: effectiveInput(call) });
  if ("problem" in asked) return { output: asked.problem, outcome: "error" };
  return (await forbidden(call, asked, run, parts)) ?? childOf(call, asked, run, parts);
}

/** P5: what a person said yes to, or made of it, is judged by the rules of now. */
async function forbidden(
  call: ToolCall,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Refused | undefined> {
  if (!call.decision && call.proposal!.seq > run.inherited) return undefined;
  const refused = await refuseDelegation(call, asked, run, parts);
  if (refused) return refused;
  const { verdict, rule } = judgeDelegation(asked, await currentGrants(run, parts), run, parts);
  return verdict === "deny"
    ? { output: `Not allowed (${rule}). Do it another way.`, outcome: "denied" }
    : undefined;
}

interface Child {
  started: EventBody;
  /** The result that the call has at once, if nobody waits. */
  answered: EventBody[];
  awaited: boolean;
  spawn: Omit<Spawn, "takesPlace">;
}

async function childOf(
  call: ToolCall,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Child | Refused> {
  const delegate = delegateNamed(run.definition.delegates ?? [], asked.name);
  if (!delegate) return { output: `There is no agent ${asked.name} for you.`, outcome: "denied" };
  const definition = await definitionFor(delegate.agent, asked, run, parts);
  if ("outcome" in definition) return definition;
  const misfit = inputProblem(asked.context, definition);
  if (misfit !== undefined)
    return { output: `\`context\` does not fit what ${asked.name} asks for: ${misfit}`, outcome: "error" };
  const attempt = (childFor(run.state.children, call.id)?.attempt ?? 0) + 1;
  const runId = childRunId(parts.digest, run.runId, call.id, attempt);
  const place = await placeOf(definition, runId, run, parts);
  if ("outcome" in place) return place;
  const { onFailure } = run.definition.delegation ?? DEFAULT_DELEGATION;
  const { limits } = run.state.start!;
  return {
    awaited: asked.awaited,
    answered: answeredAtOnce(call, asked, runId),
    started: {
      type: "CHILD_RUN_STARTED",
      payload: {
        child_run_id: runId,
        agent_type: definition.name,
        task: asked.task,
        trigger: "delegation",
        key: call.id,
        ...(attempt > 1 ? { attempt } : {}),
        ...(asked.awaited ? {} : { awaited: false }),
        ...(onFailure === "retry" && attempt === 1 && asked.awaited ? { retries: 1 } : {}),
        ...(place.worktree === undefined ? {} : { worktree: place.worktree }),
        nonce: parts.ids.nonce(),
      },
    },
    spawn: {
      runId,
      start: { ...(await childStart(call, asked, definition, run, parts)), ...place },
      events: contextFor(await contextModeOf(asked, run, parts), asked, run, parts.ids),
      limits: { children: childrenLimit(limits), runs: runsLimit(limits), concurrent: parts.concurrent },
    },
  };
}

/** The agent as its file is now, with the model that was asked for. */
async function definitionFor(
  agent: string,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Definition | Refused> {
  try {
    const definition = await parts.findAgent(agent);
    if (asked.model === undefined)
      return definition.inheritsModel ? { ...definition, models: run.definition.models } : definition;
    const chosen = parts.chooseModel(asked.model);
    if ("problem" in chosen) return { output: chosen.problem, outcome: "error" };
    return { ...definition, models: [chosen.model] };
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return { output: `${agent} cannot be started: ${error.message}`, outcome: "error" };
  }
}

/** Where the child works: with its parent, or in a worktree of its own (D6). */
async function placeOf(
  { workspace: wanted, name }: Definition,
  runId: string,
  run: RunJournal,
  parts: LoopParts,
): Promise<Pick<Payload<"RUN_STARTED">, "workspace" | "worktree"> | Refused> {
  const { workspace } = run.state.start!;
  if (wanted !== "worktree") return { workspace };
  const planned = await parts.worktrees.plan(workspace, runId);
  if (!("problem" in planned)) return planned;
  return { output: `${name} cannot be started in a worktree: ${planned.problem}`, outcome: "error" };
}

/** S1-21: nobody waits, so the call has its result now. */
function answeredAtOnce(call: ToolCall, { awaited }: Delegated, runId: string): EventBody[] {
  if (awaited) return [];
  const output =
    call.name === "mcp__agent__spawn"
      ? { agentId: runId, status: "spawned" }
      : { child_run_id: runId, status: "started" };
  return [{ type: "TOOL_RESULT", payload: { toolCallId: call.id, output } }];
}

const refusal = (call: ToolCall, { output, outcome }: Refused): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId: call.id, output, isError: true, outcome },
});
