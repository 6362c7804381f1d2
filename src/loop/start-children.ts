// Starts the children that calls ask for. The parent's intent and the child's first event are one transaction: a child
// exists if, and only if, its parent's journal says so, and its id is known before (J7, J10).

import { DEFAULT_DELEGATION } from "../journal/definition.ts";
import type { EventBody } from "../journal/events.ts";
import { ROUTE_TO } from "../patterns/router.ts";
import { effectiveInput, receipted, type ToolCall } from "../projections/tool-call.ts";
import type { Refusal, Spawn } from "../stores/store.ts";
import { waitForPlace } from "./begin-work.ts";
import { contextFor } from "./child-context.ts";
import { type Begun, type Child, childOf, definitionFor } from "./child-start.ts";
import { contextModeOf, type Delegated, delegateNamed, readDelegation } from "./delegation.ts";
import type { LoopParts } from "./parts.ts";
import { forbidden } from "./recheck-delegation.ts";
import { type Refused, refusedByTree } from "./refuse-delegation.ts";
import { inputProblem } from "./report.ts";
import { routed, routedWith } from "./route.ts";
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
  const passing = prepared.find((child) => !("outcome" in child) && child.awaited);
  const answers = await Promise.all(prepared.map((child) => begin(child, child === passing, run)));
  // B4: it has no place to pass on, and none is free: all of them wait, nobody is turned away.
  const queues = prepared.some((child, index) => child === passing && answers[index] === "places");
  answers.forEach((answer, index) => {
    if (answer === undefined || (queues && answer === "places")) return;
    const refused = typeof answer === "string" ? refusedByTree(answer, run, parts.concurrent) : answer;
    if (refused) run.record(refusal(calls[index]!, refused));
  });
  if (queues && !run.over) await waitForPlace(run, parts);
}

/** Why it did not begin. The first that the parent waits for gets the parent's place; the others need a free one (B4). */
async function begin(
  child: DelegatedChild | Refused,
  passes: boolean,
  run: RunJournal,
): Promise<Refused | Refusal | undefined> {
  if ("outcome" in child) return child;
  const { started, answered } = child;
  const spawn: Spawn = { ...child.spawn, place: passes ? "parents" : "free" };
  return run.begin([started, ...answered], { spawn });
}

async function prepare(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<DelegatedChild | Refused> {
  const asked = readDelegation({ ...call, input: effectiveInput(call) });
  if ("problem" in asked) return { output: asked.problem, outcome: "error" };
  return (await forbidden(call, asked, run, parts)) ?? childFor(call, asked, run, parts);
}

interface DelegatedChild extends Child {
  /** The result that the call has at once, if nobody waits. */
  answered: EventBody[];
  awaited: boolean;
}

async function childFor(
  call: ToolCall,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<DelegatedChild | Refused> {
  const delegate = delegateNamed(run.definition.delegates ?? [], asked.name);
  if (!delegate) return { output: `There is no agent ${asked.name} for you.`, outcome: "denied" };
  const definition = await definitionFor(delegate.agent, asked, run, parts);
  if ("outcome" in definition) return definition;
  const { awaited } = asked;
  const isRoute = call.name === ROUTE_TO;
  const begun = isRoute
    ? await routed(call.id, asked, { agent: definition.name, run, parts })
    : delegated(call.id, asked, run);
  const misfit = inputProblem(begun.input, definition);
  if (misfit !== undefined)
    return { output: `\`context\` does not fit what ${asked.name} asks for: ${misfit}`, outcome: "error" };
  const events = isRoute
    ? routedWith(asked, begun, { run, ids: parts.ids })
    : contextFor(await contextModeOf(asked, run, parts), asked, run, parts.ids);
  const child = await childOf({ ...begun, ...receipted(call, parts) }, definition, events, run, parts);
  if ("problem" in child) return { output: child.problem, outcome: "error" };
  return { ...child, awaited, answered: answeredAtOnce(call, asked, child.spawn.runId) };
}

function delegated(key: string, asked: Delegated, { definition }: RunJournal): Begun {
  const { task, context: input, criteria, contextFiles, model, maxTurns, awaited } = asked;
  const { onFailure } = definition.delegation ?? DEFAULT_DELEGATION;
  const retries = onFailure === "retry" && awaited ? 1 : 0;
  const given = { task, input, criteria, contextFiles, model, maxTurns };
  return { key, trigger: "delegation", ...given, awaited, retries };
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
