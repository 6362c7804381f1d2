// Records a verdict for every call, with the rule that decided it. If a call cannot be run, records its result instead.
// Calls of a model and calls of an agent's module are judged in the same way.

import type { EventBody, Payload } from "../../journal/events.ts";
import { MAX_PATH, targetText } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { StepCall } from "../../patterns/action.ts";
import { inputMisfit, invalidJson, toolResult } from "../../patterns/events.ts";
import { ROUTE_TO } from "../../patterns/router.ts";
import type { Grant } from "../../permissions/permission.ts";
import { effectiveInput, newStepCall, type ToolCall } from "../../projections/folds/tool-call.ts";
import { isSameCall, type RecordedCall, recordedCalls } from "../../projections/views/recorded-calls.ts";
import type { Store } from "../../stores/store.ts";
import type { AnyTool, Preview } from "../../tools/tool.ts";
import { answerClosingCall } from "../builtin-tools/declared/closing-tools.ts";
import { acceptsCall } from "../builtin-tools/declared/declared-tool.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import { nearestTools, TOOL_SEARCH, unlistedTools } from "../builtin-tools/declared/tool-search.ts";
import { builtinTool } from "../builtin-tools/index.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { guardCalls } from "../hooks/run-hooks.ts";
import type { LoopParts } from "../parts.ts";
import { approvalHash, callEffect, currentGrants, itemTerms, judgeCall, settleVerdict } from "./judge.ts";

export async function proposeCalls(
  ids: readonly string[],
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<void> {
  const grants = await currentGrants(run, parts);
  const all = [...run.state.calls.keys()];
  const calls = ids.map((id) => ({ call: run.state.calls.get(id)!, index: all.indexOf(id) }));
  const proposed = await proposeGuarded(calls, grants, run, parts, effects);
  for (const events of proposed ?? []) run.record(...events);
}

/** Proposes the calls of an agent's module in one append, so that calls made together are recorded together. */
export async function proposeStepCalls(
  calls: readonly StepCall[],
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<void> {
  const grants = await currentGrants(run, parts);
  const asked = calls.map(({ id, name, input }) => ({ call: newStepCall(id, name, input), index: 0 }));
  const proposed = await proposeGuarded(asked, grants, run, parts, effects);
  if (!proposed) return;
  run.record(
    ...proposed.flatMap(([proposal, ...recorded], at) => [...withInput(proposal!, calls[at]!), ...recorded]),
  );
}

interface AskedCall {
  call: ToolCall;
  /** Position of the call in its turn. */
  index: number;
}

/**
 * Proposes calls, and runs the hooks that guard them before a verdict is recorded.
 * A call that a rule denies, or that gets a recorded result, needs no hook.
 * Returns undefined, and proposes nothing, if the hooks could not start.
 */
async function proposeGuarded(
  asked: readonly AskedCall[],
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<EventBody[][] | undefined> {
  const proposed: EventBody[][] = [];
  // The earlier proposals of this answer are not in the journal yet. They are passed along, so that no two calls use the same recorded result.
  const propose = async ({ call, index }: AskedCall): Promise<EventBody[]> =>
    withRecordedResult(
      await proposeCall(call, index, grants, run, parts),
      call,
      { run, others: proposed.flat() },
      parts,
    );
  for (const each of asked) proposed.push(await propose(each));
  const guarded = parts.hooks.isEmpty ? [] : asked.filter((_, at) => needsGuard(proposed[at]![0]!));
  if (guarded.length === 0) return proposed;
  const ran = await guardCalls(
    guarded.map(({ call }) => call),
    run,
    parts,
    effects,
  );
  if (ran === "refused") return undefined;
  if (ran === "nothing") return proposed;
  for (const [at, each] of asked.entries()) if (guarded.includes(each)) proposed[at] = await propose(each);
  return proposed;
}

/** Whether a hook can change the verdict. A call that was denied only because no person can be asked can still be allowed by a hook. */
function needsGuard(proposed: EventBody): boolean {
  if (proposed.type !== "TOOL_PROPOSED") return false;
  const { verdict, basis, unattended } = proposed.payload;
  return basis !== "recorded" && (verdict !== "deny" || unattended !== undefined);
}

/** Adds the call's input to its proposal, because no other event contains it. If the call cannot be made, adds its result too. */
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

/** The result of a call that is not run. The result tells the model what to do instead. */
function immediateResult(
  call: ToolCall,
  index: number,
  run: RunJournal,
  parts: Pick<LoopParts, "tools" | "offers">,
): EventBody | undefined {
  const { definition, state } = run;
  const max = state.start!.limits.maxToolCallsPerTurn;
  if (state.start!.mode === "chat" && index > 0) return toolResult(call.id, ONE_AT_A_TIME, "deferred");
  if (index >= max)
    return toolResult(call.id, `At most ${max} calls at a time: ask again for this one.`, "deferred");
  const closing = answerClosingCall(call, run);
  if (closing) return closing;
  const builtin = declaredTool(call.name);
  const isAccepted = builtin !== undefined && builtin.kind !== "closing" && acceptsCall(builtin, run, parts);
  // H3: in its last turn, a router is still allowed to choose an agent.
  const isLast = state.latest?.purpose === "final" && !(isAccepted && builtin.name === ROUTE_TO);
  if (isLast) return toolResult(call.id, LAST_TURN_IS_OVER, "denied");
  if (isAccepted) return undefined;
  const tool = parts.tools.get(call.name);
  if (!tool || !parts.offers(definition, tool))
    return toolResult(call.id, notOffered(call.name, run, parts), "denied");
  const problem =
    invalidJson(call) ?? inputMisfit(tool.name, tool.input, call.input) ?? longPath(tool, call.input);
  return problem === undefined ? undefined : toolResult(call.id, problem, "error");
}

/** Refuses a path that no system could open, because resolving it would take long. */
function longPath({ target }: AnyTool, input: unknown): string | undefined {
  if (target?.kind !== "path" || targetText(target, input).length <= MAX_PATH) return undefined;
  return `The ${target.field} is longer than ${MAX_PATH} characters; nothing was done.`;
}

const LAST_TURN_IS_OVER = "Not run: this was the last turn, and only the answer was left.";
const ONE_AT_A_TIME = "One call at a time: ask again for this one if it is still needed.";

function notOffered(
  name: string,
  { definition }: RunJournal,
  parts: Pick<LoopParts, "tools" | "offers">,
): string {
  const tools = [...new Set(parts.tools.values())].filter((tool) => parts.offers(definition, tool));
  const unlisted = unlistedTools(definition, parts);
  if (unlisted.length > 0 && name.startsWith("mcp__"))
    return `There is no tool ${JSON.stringify(name)} for you. ${nearOnes(name, unlisted)}`;
  const names = definition.router
    ? [ROUTE_TO]
    : tools.filter((tool) => !unlisted.includes(tool)).map((tool) => tool.name);
  return `There is no tool ${JSON.stringify(name)} for you. You have: ${names.join(", ") || "none"}.`;
}

function nearOnes(name: string, unlisted: readonly AnyTool[]): string {
  const near = nearestTools(name, unlisted);
  return near.length === 0
    ? `${TOOL_SEARCH} finds those that there are.`
    : `Did you mean ${near.join(", ")}? ${TOOL_SEARCH} shows their input.`;
}

/** TOOL_PROPOSED for an ordinary tool. `round` is greater than 1 if files or rules have changed since an earlier approval. */
export async function proposeToolCall(
  call: ToolCall,
  round: number,
  grants: readonly Grant[],
  run: RunJournal,
  parts: Pick<LoopParts, "tools" | "judge" | "judgeShell" | "authority" | "clock" | "digest">,
): Promise<EventBody> {
  const tool = parts.tools.get(call.name)!;
  const input = effectiveInput(call);
  const { effect, afterCrash } = callEffect(tool, input, parts);
  const judged = settleVerdict(judgeCall(tool, input, effect, grants, run, parts), call, run);
  const base = { toolCallId: call.id, name: tool.name, effect, ...judged, ...(round > 1 ? { round } : {}) };
  if (judged.verdict !== "ask")
    return { type: "TOOL_PROPOSED", payload: { ...base, ...omitUndefined({ afterCrash }) } };
  const { text, fingerprint } = await previewCall(tool, input, run);
  const payload: Payload<"TOOL_PROPOSED"> = {
    ...base,
    // P4: a person's edit can turn a read-only command into one that changes something. After a crash, that command must not run twice.
    effect: tool.effect,
    hash: approvalHash(call.name, input, fingerprint, run, parts),
    preview: text,
    ...omitUndefined({ fingerprint }),
    ...itemTerms(run, parts),
  };
  return { type: "TOOL_PROPOSED", payload };
}

export async function previewCall(tool: AnyTool, input: unknown, run: RunJournal): Promise<Preview> {
  if (!tool.preview) return { text: JSON.stringify(input, null, 2) };
  return tool.preview(input, { workspace: run.state.start!.workspace });
}

/**
 * A fork does not repeat the effects of the run that it was forked from. Instead, an equal call gets the recorded result, once.
 * If there is a recorded result for the call, returns an allowed proposal and that result. Otherwise returns the judged proposal.
 * If a rule denies the call, or a grant of the fork allows it, the recorded result is not used.
 */
async function withRecordedResult(
  judged: EventBody,
  call: ToolCall,
  { run, others }: { run: RunJournal; others: readonly EventBody[] },
  parts: Pick<LoopParts, "store">,
): Promise<EventBody[]> {
  const { effects, fork } = run.state.start!;
  if (judged.type !== "TOOL_PROPOSED" || !fork || effects === undefined) return [judged];
  const { toolCallId, name, effect, verdict, basis } = judged.payload;
  if (effect === "read" || verdict === "deny" || basis === "grant") return [judged];
  const asked = { name, input: call.input };
  const taken = others.flatMap((event) =>
    event.type === "TOOL_RESULT" && event.payload.recorded ? recordRef(event.payload.recorded) : [],
  );
  const recording = (await unusedRecordings(run, parts.store)).find(
    (each) => isSameCall(each, asked) && !taken.includes(recordRef(each)),
  );
  if (!recording) return [judged];
  const { runId, seq, result } = recording;
  const proposal = {
    toolCallId,
    name,
    effect,
    verdict: "allow" as const,
    rule: `fork: recorded in ${runId}#${seq}`,
    basis: "recorded" as const,
  };
  return [
    { type: "TOOL_PROPOSED", payload: proposal },
    { type: "TOOL_RESULT", payload: { toolCallId, ...result, recorded: { runId, seq } } },
  ];
}

/** The recorded calls that this fork has not used yet. If the forked run is itself a fork, the calls of its origin follow. */
async function unusedRecordings(run: RunJournal, store: Pick<Store, "journal">): Promise<RecordedCall[]> {
  const found: RecordedCall[] = [];
  const used = new Set(run.state.usedRecordings);
  let { continues, fork }: Pick<Payload<"RUN_STARTED">, "continues" | "fork"> = run.state.start!;
  while (continues && fork) {
    const { runId, seq } = continues;
    const events = await store.journal.read(runId);
    found.push(...recordedCalls(events, seq));
    for (const event of events) {
      const recorded = event.type === "TOOL_RESULT" && event.seq <= seq && event.payload.recorded;
      if (recorded) used.add(recordRef(recorded));
    }
    const first = events[0];
    ({ continues, fork } =
      first?.type === "RUN_STARTED" ? first.payload : { continues: undefined, fork: undefined });
  }
  return found.filter((each) => !used.has(recordRef(each)));
}

const recordRef = ({ runId, seq }: Pick<RecordedCall, "runId" | "seq">): string => `${runId}#${seq}`;
