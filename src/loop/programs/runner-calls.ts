// Calls of a program that does an agent's work. Like all calls, they are judged, decided, started and answered.
// If the program asks for permission, the call waits for a decision.
// If the program makes a call without asking, the call is recorded. If a rule denies that call, the program is stopped.

import type { EventBody } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { toolResult } from "../../patterns/events.ts";
import type { Verdict } from "../../permissions/permission.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { TODO_WRITE, type Todo } from "../../projections/folds/todos.ts";
import { newStepCall, PROMPT, receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import { applyUnattendedPolicy, currentGrants, judgeCall, proposalEvent } from "../calls/judge.ts";
import { toToolResult } from "../calls/run-tools.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import type { LiveRunner, ProgramCall, RunnerReport } from "./runner.ts";
import { isApprovedButUndelivered } from "./runner-prompt.ts";

export type RunnerCallParts = Pick<
  LoopParts,
  "authority" | "clock" | "digest" | "host" | "judge" | "mask" | "mayBegin" | "store"
>;

export interface ActivePrompt {
  action: { callId: string };
  live: LiveRunner;
  run: RunJournal;
  parts: RunnerCallParts;
}

const UNASKED = "the program did not ask";
const TOO_LONG = "it is too long to be shown to a person who is asked";
const NO_ONCE = "the program offers no way to allow it for one time only";

/** The program asks for permission. The call is decided like any other. */
export async function proposeRunnerCall(
  { call, once }: Extract<RunnerReport, { type: "asked" }>,
  prompt: ActivePrompt,
): Promise<void> {
  const { live, run, parts } = prompt;
  const before = run.state.calls.get(live.calls.get(call.id) ?? "");
  if (before?.started && !before.result) run.record(toolResult(before.id, "It asks first.", "not_started"));
  const judged = earlierApproval(call, run.state) ?? (await verdictOn(call, run, parts));
  const { name, input, effect, preview } = call;
  const verdict = cannotAsk(judged, call) ?? (once ? judged : { verdict: "deny" as const, rule: NO_ONCE });
  const id = newId(call, prompt);
  run.record(
    proposalEvent(newStepCall(id, name, input), { name, effect, ...verdict, input }, preview, run, parts),
  );
}

const cannotAsk = ({ verdict }: Verdict, { isWhole }: ProgramCall): Verdict | undefined =>
  verdict === "ask" && !isWhole ? { verdict: "deny", rule: TOO_LONG } : undefined;

function newId({ id: own }: Pick<ProgramCall, "id">, { action, live, run }: ActivePrompt): string {
  const id = `${action.callId}.${run.state.runner.calls}`;
  live.calls.set(own, id);
  return id;
}

/** P5: finds an approval of exactly this call that the program never received, because it had ended. */
function earlierApproval({ name, input }: ProgramCall, { calls }: RunState): Verdict | undefined {
  const same = [...calls.values()].find(
    (call) =>
      isApprovedButUndelivered(call) &&
      call.name === name &&
      JSON.stringify(call.input) === JSON.stringify(input),
  );
  if (!same) return undefined;
  return { verdict: "allow", rule: `approved by ${same.decision!.by} before the program was started again` };
}

/** The strictest verdict, for a call about several files. */
async function verdictOn(call: ProgramCall, run: RunJournal, parts: RunnerCallParts): Promise<Verdict> {
  const grants = await currentGrants(run, parts);
  const verdicts = call.judged.map((input) =>
    applyUnattendedPolicy(judgeCall({ name: call.name }, input, call.effect, grants, run, parts), run),
  );
  const by = (wanted: Verdict["verdict"]) => verdicts.find(({ verdict }) => verdict === wanted);
  return by("deny") ?? by("ask") ?? verdicts[0]!;
}

/** Records a call that the program made without asking. If a rule denies the call, returns why the program must be stopped. */
export async function recordReportedCall(
  call: ProgramCall,
  prompt: ActivePrompt,
): Promise<string | undefined> {
  const { live, run, parts } = prompt;
  const known = live.calls.get(call.id);
  const events: EventBody[] = [];
  let forbidden: string | undefined;
  if (known === undefined) {
    const { verdict, rule } = await verdictOn(call, run, parts);
    if (verdict === "deny" && !call.name.startsWith("mcp__acp__"))
      forbidden = `The program was stopped: it used ${call.name} without asking, which is not allowed (${rule}).`;
    events.push(...startedEvents(call, forbidden === undefined ? UNASKED : `${UNASKED}; ${rule}`, prompt));
  }
  const id = live.calls.get(call.id)!;
  const open = known === undefined || isOpen(run.state.calls.get(known));
  if (call.result && open) events.push(await resultEvent(id, call.result, parts, live));
  if (events.length > 0) run.record(...events);
  return forbidden;
}

const isOpen = (call: ToolCall | undefined): boolean => call?.started !== undefined && !call.result;

function startedEvents(call: ProgramCall, rule: string, prompt: ActivePrompt): EventBody[] {
  const { name, input, effect } = call;
  const { parts, live } = prompt;
  const toolCallId = newId(call, prompt);
  const judged = { verdict: "allow" as const, rule, basis: "unasked" as const };
  return [
    { type: "TOOL_PROPOSED", payload: { toolCallId, name, effect, ...judged, input } },
    { type: "TOOL_STARTED", payload: { toolCallId, host: parts.host, pid: live.facts.pid } },
  ];
}

async function resultEvent(
  toolCallId: string,
  { output, isError, files, untrusted }: NonNullable<ProgramCall["result"]>,
  parts: RunnerCallParts,
  { facts: { sandbox } }: LiveRunner,
): Promise<EventBody> {
  parts.mask.refresh();
  const answer = { output, isError, files, ...omitUndefined({ untrusted }), sandbox };
  const payload = await toToolResult(parts.mask.value(answer), parts);
  return { type: "TOOL_RESULT", payload: { toolCallId, ...payload } };
}

/** Records the program's plan as the run's todo list. */
export function planEvents(todos: Todo[], prompt: ActivePrompt): EventBody[] {
  const { run } = prompt;
  if (JSON.stringify(todos) === JSON.stringify(run.state.todos)) return [];
  const call = {
    id: `plan/${run.state.runner.calls}`,
    name: TODO_WRITE,
    input: { todos },
    effect: "read" as const,
  };
  const events = startedEvents({ ...call, judged: [], preview: "", isWhole: true }, UNASKED, prompt);
  const toolCallId = prompt.live.calls.get(call.id)!;
  return [...events, toolResult(toolCallId, "Noted.")];
}

/** Answers the program's open questions from the journal (RN2). */
export function deliverDecisions(live: LiveRunner, run: RunJournal): void {
  for (const [ask, own] of live.openQuestions) {
    const call = run.state.calls.get(live.calls.get(own) ?? "");
    if (!call || (!call.result && !call.started)) continue;
    const isAllowed = !call.result;
    const isDelivered = live.answer(ask, isAllowed);
    if (isAllowed && !isDelivered) run.record(toolResult(call.id, UNDELIVERED, "not_started"));
  }
}

const UNDELIVERED = "The program had ended before it could be told that it may.";

/** Closes calls that are open when the work ends. `why` is undefined if the program answered but reported no result for these calls. */
export function closeOpenCalls(run: RunJournal, why: string | undefined): void {
  for (const call of run.state.calls.values()) {
    if (!isOpen(call)) continue;
    if (why !== undefined) run.record(toolResult(call.id, why, "unknown"));
    else run.record(toolResult(call.id, "The program reported no result."));
  }
}

/** Allows a call but runs no tool: the program itself runs the call after it has received the permission. */
export async function allowRunnerCall(
  ids: readonly string[],
  run: RunJournal,
  parts: RunnerCallParts,
): Promise<void> {
  const [id] = ids;
  const call = run.state.calls.get(id!)!;
  if (call.name === PROMPT)
    return run.record(toolResult(call.id, "It is asked again, from the start.", "not_started"));
  if (!run.state.openModelCall) return run.record(toolResult(call.id, UNDELIVERED, "not_started"));
  const grants = await currentGrants(run, parts);
  const judged = judgedIn(call.input).map((input) =>
    judgeCall({ name: call.name }, input, call.proposal!.effect, grants, run, parts),
  );
  const denied = judged.find(({ verdict }) => verdict === "deny");
  if (denied)
    return run.record(toolResult(call.id, `Not allowed (${denied.rule}). Do it another way.`, "denied"));
  if (!parts.mayBegin()) return run.release();
  const { pid } = run.state.runner.started!;
  const payload = { toolCallId: call.id, host: parts.host, pid, ...receiptField(call, parts) };
  await run.beginWork([{ type: "TOOL_STARTED", payload }]);
}

/** The inputs that the rules judge. An edit of several files has one input per file. */
function judgedIn(input: unknown): unknown[] {
  const { paths } = (input ?? {}) as { paths?: unknown };
  return Array.isArray(paths) ? paths.map((path: unknown) => ({ path })) : [input];
}
