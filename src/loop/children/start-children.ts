// Starts the children that calls ask for. The parent's intent and the child's first event are one transaction: a child
// exists if, and only if, its parent's journal says so, and its id is known before (J7, J10).

import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { EventBody } from "../../journal/events.ts";
import { ROUTE_TO } from "../../patterns/router.ts";
import { effectiveInput, receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { Refusal, Spawn } from "../../stores/store.ts";
import {
  type DelegationRequest,
  findDelegate,
  parseDelegation,
  resolveContextMode,
} from "../builtin-tools/declared/delegate.ts";
import { inputProblem } from "../builtin-tools/declared/final-report.ts";
import { parentContext } from "../child-context.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { recheckDelegation } from "../recheck-delegation.ts";
import { routeContext, routeRequest } from "../route.ts";
import { type CallRefusal, treeLimitRefusal } from "./check-delegation.ts";
import { type ChildRequest, childDefinition, type PreparedChild, prepareChild } from "./prepare-child.ts";

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
  const passing = prepared.find((child) => !("outcome" in child) && child.awaited);
  const answers = await Promise.all(prepared.map((child) => begin(child, child === passing, run)));
  // B4: it has no place to pass on, and none is free: all of them wait, nobody is turned away.
  const queues = prepared.some((child, index) => child === passing && answers[index] === "places");
  answers.forEach((answer, index) => {
    if (answer === undefined || (queues && answer === "places")) return;
    const refused = typeof answer === "string" ? treeLimitRefusal(answer, run, parts.maxConcurrent) : answer;
    if (refused) run.record(refusal(calls[index]!, refused));
  });
  if (queues && !run.isOver) await run.waitForSlot();
}

/** Why it did not begin. The first that the parent waits for gets the parent's place; the others need a free one (B4). */
async function begin(
  child: DelegatedChild | CallRefusal,
  passes: boolean,
  run: RunJournal,
): Promise<CallRefusal | Refusal | undefined> {
  if ("outcome" in child) return child;
  const { started, answered } = child;
  const spawn: Spawn = { ...child.spawn, place: passes ? "parents" : "free" };
  return run.begin([started, ...answered], { spawn });
}

async function prepare(
  call: ToolCall,
  run: RunJournal,
  parts: LoopParts,
): Promise<DelegatedChild | CallRefusal> {
  const asked = parseDelegation({ ...call, input: effectiveInput(call) })!;
  if ("problem" in asked) return { output: asked.problem, outcome: "error" };
  return (await recheckDelegation(call, asked, run, parts)) ?? childFor(call, asked, run, parts);
}

interface DelegatedChild extends PreparedChild {
  /** The result that the call has at once, if nobody waits. */
  answered: EventBody[];
  awaited: boolean;
}

async function childFor(
  call: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: LoopParts,
): Promise<DelegatedChild | CallRefusal> {
  const delegate = findDelegate(run.definition.delegates ?? [], asked.name);
  if (!delegate) return { output: `There is no agent ${asked.name} for you.`, outcome: "denied" };
  const definition = await childDefinition(delegate.agent, asked, run, parts);
  if ("outcome" in definition) return definition;
  const { awaited } = asked;
  const isRoute = call.name === ROUTE_TO;
  const begun = isRoute
    ? await routeRequest(call.id, asked, { agent: definition.name, run, parts })
    : delegated(call.id, asked, run);
  const misfit = inputProblem(begun.input, definition);
  if (misfit !== undefined)
    return { output: `\`context\` does not fit what ${asked.name} asks for: ${misfit}`, outcome: "error" };
  const events = isRoute
    ? routeContext(asked, begun, { run, ids: parts.ids })
    : parentContext(await resolveContextMode(asked, run, parts), asked, run, parts.ids);
  const child = await prepareChild(
    { ...begun, ...receiptField(call, parts) },
    definition,
    events,
    run,
    parts,
  );
  if ("problem" in child) return { output: child.problem, outcome: "error" };
  return { ...child, awaited, answered: answeredAtOnce(call, asked, child.spawn.runId) };
}

function delegated(key: string, asked: DelegationRequest, { definition }: RunJournal): ChildRequest {
  const { task, context: input, criteria, contextFiles, model, maxTurns, awaited } = asked;
  const { onFailure } = definition.delegation ?? DEFAULT_DELEGATION;
  const retries = onFailure === "retry" && awaited ? 1 : 0;
  const given = { task, input, criteria, contextFiles, model, maxTurns };
  return { key, trigger: "delegation", ...given, awaited, retries };
}

/** S1-21: nobody waits, so the call has its result now. */
function answeredAtOnce(call: ToolCall, { awaited }: DelegationRequest, runId: string): EventBody[] {
  if (awaited) return [];
  const output =
    call.name === "mcp__agent__spawn"
      ? { agentId: runId, status: "spawned" }
      : { child_run_id: runId, status: "started" };
  return [{ type: "TOOL_RESULT", payload: { toolCallId: call.id, output } }];
}

const refusal = (call: ToolCall, { output, outcome }: CallRefusal): EventBody => ({
  type: "TOOL_RESULT",
  payload: { toolCallId: call.id, output, isError: true, outcome },
});
