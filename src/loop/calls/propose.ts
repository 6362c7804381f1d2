// Gives every call of a model's answer a verdict, with the rule that decided; or its result, if it cannot be run.
// Calls that an
// agent's steps make are judged in the same way.

import { z } from "zod";
import type { EventBody, Payload } from "../../journal/events.ts";
import type { StepCall } from "../../patterns/action.ts";
import { ROUTE_TO } from "../../patterns/router.ts";
import type { Grant } from "../../permissions/permission.ts";
import { effectiveInput, newStepCall, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { AnyTool, Preview } from "../../tools/tool.ts";
import { acceptsCall } from "../builtin-tools/declared/declared-tool.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import { answerClosingCall } from "../builtin-tools/declared/team-tools.ts";
import { builtinTool } from "../builtin-tools/index.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import {
  applyUnattendedPolicy,
  approvalHash,
  callEffect,
  currentGrants,
  failedResult,
  invalidJsonMessage,
  itemTerms,
  judgeCall,
} from "./judge.ts";
import { withRecordedResult } from "./recorded-results.ts";

export async function proposeCalls(ids: readonly string[], run: RunJournal, parts: LoopParts): Promise<void> {
  const grants = await currentGrants(run, parts);
  const all = [...run.state.calls.keys()];
  for (const id of ids) {
    const call = run.state.calls.get(id)!;
    const proposed = await proposeCall(call, all.indexOf(id), grants, run, parts);
    run.record(...(await withRecordedResult(proposed, call, run, parts)));
  }
}

/** Proposes the calls that an agent's steps make, in one append: calls that are made together exist together. */
export async function proposeStepCalls(
  calls: readonly StepCall[],
  run: RunJournal,
  parts: LoopParts,
): Promise<void> {
  const grants = await currentGrants(run, parts);
  const events: EventBody[] = [];
  for (const made of calls) {
    const call = newStepCall(made.id, made.name, made.input);
    const proposed = await proposeCall(call, 0, grants, run, parts);
    const [proposal, recorded] = await withRecordedResult(proposed, call, run, parts);
    events.push(...withInput(proposal!, made), ...(recorded ? [recorded] : []));
  }
  run.record(...events);
}

/**
 * Adds the call's input to its proposal, because the journal has it nowhere else. A call that cannot be made gets its
 * result at once.
 */
function withInput(proposed: EventBody, { id, name, input, hidden }: StepCall): EventBody[] {
  const made = { input, ...(hidden ? { hidden: true as const } : {}) };
  if (proposed.type === "TOOL_PROPOSED")
    return [{ type: "TOOL_PROPOSED", payload: { ...proposed.payload, ...made } }];
  const payload = {
    toolCallId: id,
    name,
    effect: "read" as const,
    verdict: "deny" as const,
    rule: "it cannot be made",
    basis: "impossible" as const,
    ...made,
  };
  return [{ type: "TOOL_PROPOSED", payload }, proposed];
}

async function proposeCall(
  call: ToolCall,
  index: number,
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
): Promise<EventBody> {
  return (
    immediateResult(call, index, run, parts) ??
    builtinTool(call.name)?.propose(call, grants, run, parts) ??
    proposeToolCall(call, 1, grants, run, parts)
  );
}

/** The result of a call that is not run, in words that tell the model what it may do instead. */
function immediateResult(
  call: ToolCall,
  index: number,
  run: RunJournal,
  parts: Pick<LoopParts, "tools" | "offers">,
): EventBody | undefined {
  const { definition, state } = run;
  const max = state.start!.limits.maxToolCallsPerTurn;
  if (state.start!.mode === "chat" && index > 0) return failedResult(call, ONE_AT_A_TIME, "deferred");
  if (index >= max)
    return failedResult(call, `At most ${max} calls at a time: ask again for this one.`, "deferred");
  const closing = answerClosingCall(call, run);
  if (closing) return closing;
  const builtin = declaredTool(call.name);
  const isAccepted = builtin !== undefined && builtin.kind !== "closing" && acceptsCall(builtin, run, parts);
  // H3: a router may still choose in its last turn.
  const isLast = state.latest?.purpose === "final" && !(isAccepted && builtin.name === ROUTE_TO);
  if (isLast) return failedResult(call, LAST_TURN_IS_OVER, "denied");
  if (isAccepted) return undefined;
  const tool = parts.tools.get(call.name);
  if (!tool || !parts.offers(definition, tool))
    return failedResult(call, notOffered(call.name, run, parts), "denied");
  const problem = inputProblem(call, tool);
  return problem === undefined ? undefined : failedResult(call, problem, "error");
}

const LAST_TURN_IS_OVER = "Not run: this was the last turn, and only final_report was left.";
const ONE_AT_A_TIME = "One call at a time: ask again for this one if it is still needed.";

function notOffered(
  name: string,
  { definition }: RunJournal,
  parts: Pick<LoopParts, "tools" | "offers">,
): string {
  const tools = [...new Set(parts.tools.values())].filter((tool) => parts.offers(definition, tool));
  const names = definition.router ? [ROUTE_TO] : tools.map((tool) => tool.name);
  return `There is no tool ${JSON.stringify(name)} for you. You have: ${names.join(", ") || "none"}.`;
}

function inputProblem(call: ToolCall, tool: AnyTool): string | undefined {
  if (call.invalid !== undefined) return invalidJsonMessage(call);
  const parsed = tool.input.safeParse(call.input);
  return parsed.success
    ? undefined
    : `The input of ${tool.name} does not fit: ${z.prettifyError(parsed.error)}`;
}

/** TOOL_PROPOSED for an ordinary tool. A further round follows if what an approval is bound to has changed. */
export async function proposeToolCall(
  call: ToolCall,
  round: number,
  grants: readonly Grant[],
  run: RunJournal,
  parts: Pick<LoopParts, "tools" | "judge" | "judgeShell" | "authority" | "clock" | "digest">,
): Promise<EventBody> {
  const tool = parts.tools.get(call.name)!;
  const input = effectiveInput(call);
  const effect = callEffect(tool, input, parts);
  const judged = applyUnattendedPolicy(judgeCall(tool, input, effect, grants, run, parts), run);
  const base = { toolCallId: call.id, name: tool.name, effect, ...judged, ...(round > 1 ? { round } : {}) };
  if (judged.verdict !== "ask") return { type: "TOOL_PROPOSED", payload: base };
  const { text, fingerprint } = await previewCall(tool, input, run);
  const payload: Payload<"TOOL_PROPOSED"> = {
    ...base,
    // P4: a person may turn a read-only command into one that changes something, and a crash must not run that twice.
    effect: tool.effect,
    hash: approvalHash(call.name, input, fingerprint, run, parts),
    preview: text,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...itemTerms(run, parts),
  };
  return { type: "TOOL_PROPOSED", payload };
}

/** What a person sees of a call before deciding. */
export async function previewCall(tool: AnyTool, input: unknown, run: RunJournal): Promise<Preview> {
  if (!tool.preview) return { text: JSON.stringify(input, null, 2) };
  return tool.preview(input, { workspace: run.state.start!.workspace });
}
