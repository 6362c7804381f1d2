// Sends one prompt to the program that does an agent's work. Like a model call, a prompt has an intent and an outcome.
//  RN1  The program's process is recorded in the journal before the program receives a prompt.
//  RN2  The program's questions are answered from the journal alone. A started call is allowed. A call that already has a result is refused.
//  RN3  While a person decides, the run rests and the program waits.
//       If the program ends while a person decides, the run can continue from the journal alone.

import { messageOf } from "../../errors.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { PROMPT } from "../../projections/folds/tool-call.ts";
import { isTreeLimit } from "../../projections/usage/budgets.ts";
import { budgetOf, hasBudget, openBudgetItem, treeBudgetOf } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { attemptOf, modelCallIntent, waitForReservation } from "../model/call-model.ts";
import { LAST_TURN_NOT_COVERED, recordBudgetStop } from "../model/reserve-budget.ts";
import type { LoopParts } from "../parts.ts";
import type { LiveRunner, RunnerReport } from "./runner.ts";
import {
  type ActivePrompt,
  closeOpenCalls,
  deliverDecisions,
  planEvents,
  proposeRunnerCall,
  type RunnerCallParts,
  recordReportedCall,
} from "./runner-calls.ts";
import { knowsTask, resumableSession, runnerPrompt } from "./runner-prompt.ts";

type CallModel = Extract<Action, { type: "call-model" }>;
type Failure = Pick<Payload<"MODEL_CALL_FAILED">, "cause" | "message" | "retryAt">;

interface Prompt extends ActivePrompt {
  parts: RunnerParts;
  action: CallModel;
  effects: AbortSignal;
  /** Why the program was asked to stop. */
  stopping?: Failure;
  /** Whether the program can be asked to continue after it has stopped. */
  stays?: boolean;
}

/** A program that is silent for this long is stopped, unless the run has a `toolTimeout`. */
const SILENCE_MS = 8 * 60_000;
/** A program that does not stop when asked is killed after this time. */
const STOP_GRACE_MS = 5_000;
const LAST_TURN_MS = 2 * 60_000;
const MAX_TRIES = 3;

type RunnerParts = Pick<LoopParts, "onDelta" | "runners" | "systemPrompt"> & RunnerCallParts;

export async function promptRunner(
  action: CallModel,
  run: RunJournal,
  parts: RunnerParts,
  effects: AbortSignal,
): Promise<void> {
  const live = parts.runners.find(run.runId);
  if (run.state.openModelCall)
    return live ? listen({ action, live, run, parts, effects }) : recoverPrompt(run, parts);
  const problem = parts.runners.problem(run.definition);
  // A person has to fix the problem and resume the run.
  if (problem !== undefined)
    return run.suspend({ kind: "definition_changed", items: [], detail: problem }, undefined);
  // No session can write the report: the old session is lost, and a new session would repeat the work.
  if (action.purpose === "final" && run.state.runner.started && !knowsTask(run, parts))
    return run.record(LAST_TURN_NOT_COVERED);
  // The prompt is built before the intent is appended, because the intent marks the messages as seen.
  const words = runnerPrompt(action, run, parts);
  const refused = await run.beginWork([modelCallIntent(action)], runnerReservation(run));
  if (refused === "budget") return recordBudgetStop(action, run.exceededBudget!, run);
  if (refused === "reserved") return waitForReservation(run, parts);
  if (refused) return;
  if (!parts.mayBegin()) return run.release();
  if (hasEndedMeanwhile(action, run, parts)) return recordLostSession(GONE_MEANWHILE, run);
  const ready = await startRunner(action, run, parts, effects);
  if (!ready) return;
  const delta = { type: "text.delta" as const, runId: run.runId, callId: action.callId };
  const text = parts.mask.stream((piece) =>
    parts.onDelta({ ...delta, attempt: action.attempt, text: piece }),
  );
  ready.workedMs = 0;
  ready.prompt(words, (piece) => {
    run.noteActivity();
    text.add(piece);
  });
  return listen({ action, live: ready, run, parts, effects });
}

/** True if the program worked on this prompt, was stopped, and has ended since. A new session would repeat the work. */
function hasEndedMeanwhile({ callId }: CallModel, run: RunJournal, parts: RunnerParts): boolean {
  const { runner, calls } = run.state;
  const worked = [...calls.keys()].some((id) => id.startsWith(`${callId}.`));
  return worked && runner.started !== undefined && !runner.isLost && !knowsTask(run, parts);
}

const GONE_MEANWHILE = "It was stopped in the middle of its work, and has ended since.";

async function startRunner(
  action: CallModel,
  run: RunJournal,
  parts: RunnerParts,
  effects: AbortSignal,
): Promise<LiveRunner | undefined> {
  const { runId, definition, state } = run;
  const running = parts.runners.find(runId);
  if (running) return running;
  const session = resumableSession(run);
  const { workspace } = state.start!;
  try {
    const live = await parts.runners.start({ runId, definition, workspace, session, signal: effects });
    const payload = { ...attemptOf(action), ...live.facts, host: parts.host };
    if (!(await run.begin([{ type: "RUNNER_STARTED", payload }]))) return live;
    fail(action, INTERRUPTED, run);
  } catch (error) {
    if (effects.aborted) fail(action, INTERRUPTED, run);
    else if (session === undefined) fail(action, { cause: "model", message: messageOf(error) }, run);
    else recordLostSession(messageOf(error), run);
  }
  await parts.runners.end(runId);
  return undefined;
}

const INTERRUPTED: Failure = { cause: "interrupted", message: "Stopped before the answer was complete." };

/** Handles the program's reports until it answers, or until it asks a question that this driver cannot answer. */
async function listen(prompt: Prompt): Promise<void> {
  const { live, run, parts } = prompt;
  deliverDecisions(live, run);
  while (!run.isOver) {
    const from = parts.clock.elapsed();
    const report = await live.nextReport(timeFor(prompt));
    run.noteActivity();
    live.workedMs += Math.round(parts.clock.elapsed() - from);
    if (!prompt.stopping && WORK_REPORTS.has(report.type)) await enforceLimits(report, prompt);
    if (await handleReport(report, prompt)) return;
  }
  await parts.runners.end(run.runId);
}

/** Types of reports that mean new work. Limits are checked first, so that a program at its limit starts nothing new. */
const WORK_REPORTS: ReadonlySet<RunnerReport["type"]> = new Set([
  "message",
  "call",
  "asked",
  "plan",
  "spent",
]);

function timeFor({ action, live, run, effects, stopping }: Prompt) {
  if (stopping) return { signal: new AbortController().signal, ms: STOP_GRACE_MS, silenceMs: STOP_GRACE_MS };
  const { limits } = run.state.start!;
  const ms =
    action.purpose === "final" ? LAST_TURN_MS : Math.max(0, limits.maxDuration - run.state.usage.activeMs);
  return { signal: effects, ms: ms - live.workedMs, silenceMs: limits.toolTimeout ?? SILENCE_MS };
}

/** Handles one report. Returns true if no further reports have to be handled for now. */
async function handleReport(report: RunnerReport, prompt: Prompt): Promise<boolean> {
  const { live, run, parts, effects, stopping } = prompt;
  switch (report.type) {
    case "message":
      run.record(messageEvent(report.text, prompt));
      return false;
    case "spent":
      return false;
    case "plan":
      run.record(...planEvents(report.todos, prompt));
      return false;
    case "call": {
      const forbidden = await recordReportedCall(report.call, prompt);
      if (forbidden !== undefined && !stopping) stop({ cause: "rejected", message: forbidden }, prompt);
      return false;
    }
    case "asked":
      if (!stopping) await proposeRunnerCall(report, prompt);
      else live.answer(report.ask, false);
      return !stopping;
    case "answer":
      if (stopping) await finishStop(prompt);
      else recordAnswer(report, prompt);
      return true;
    case "gone":
      await endPrompt(stopping ?? goneFailure(report.why, prompt), prompt);
      return true;
    case "silent":
    case "late":
      if (stopping) await endPrompt(stopping, prompt);
      else stop(report.type === "late" ? LATE : SILENT, prompt);
      return stopping !== undefined;
    case "stopped":
      if (effects.reason === "cancel" || run.state.cancel) {
        stop(INTERRUPTED, prompt);
        return false;
      }
      // The program is ended, and the prompt stays open, as after a crash. The next driver recovers it.
      await parts.runners.end(run.runId);
      return true;
  }
}

const LATE: Failure = { cause: "timeout", message: "Stopped: the time that the run may be active is over." };
const SILENT: Failure = {
  cause: "timeout",
  message: "The program was stopped: it was silent for too long.",
};

function messageEvent(text: string, { action: { callId }, run }: Prompt): EventBody {
  return { type: "RUNNER_SAID", payload: { callId, index: run.state.runner.said, text } };
}

async function enforceLimits({ type }: RunnerReport, prompt: Prompt): Promise<void> {
  const { action, run } = prompt;
  if (run.state.seq >= run.state.start!.limits.maxEvents)
    return stop({ cause: "model", message: "Stopped: its journal is as long as it may be." }, prompt);
  const over = await checkBudget(prompt);
  if (!over) return type === "asked" ? recordCost(prompt) : undefined;
  const { stays, ...why } = over;
  if (!stays && action.purpose !== "final") run.record(LAST_TURN_NOT_COVERED);
  prompt.stays = stays;
  stop(why, prompt);
}

function stop(why: Failure, prompt: Prompt): void {
  prompt.stopping = why;
  prompt.live.cancel();
}

/** Called when the program has stopped. A program that a limit has stopped can still be asked to report or to continue. */
async function finishStop(prompt: Prompt): Promise<void> {
  const { stopping, stays, action, run } = prompt;
  if (stopping !== LATE && !stays) return endPrompt(stopping!, prompt);
  closeOpenCalls(run, STOPPED);
  fail(action, stopping!, run, prompt.live);
}

const STOPPED = "It was stopped from outside: some of it may have been done.";

async function endPrompt(why: Failure, { action, live, run, parts }: Prompt): Promise<void> {
  await parts.runners.end(run.runId);
  closeOpenCalls(run, STOPPED);
  fail(action, why, run, live);
}

/** The failure of a program that ended early. If it can resume its session, it is started again a few times. */
function goneFailure(why: string, { live, run, parts }: Prompt): Failure {
  const message = `The program ended before it had answered: ${why}.`;
  const tries = run.state.openModelCall?.tries ?? 1;
  if (!live.facts.loads || tries >= MAX_TRIES) return { cause: "model", message };
  return { cause: "network", message, retryAt: parts.clock.now() + 1_000 * 2 ** (tries - 1) };
}

function recordAnswer({ text, stop: how }: Extract<RunnerReport, { type: "answer" }>, prompt: Prompt): void {
  const { action, live, run } = prompt;
  const failure = how === "cancelled" && isRefused(run) ? undefined : FAILURES[how];
  closeOpenCalls(run, undefined);
  if (failure) fail(action, failure, run, live);
  else run.record(answerEvent(text, how, prompt));
}

/** True if a call was refused. A program that stops after a refusal has not failed: it is asked to continue in another way. */
const isRefused = ({ state }: RunJournal): boolean =>
  [...state.calls.values()].some(({ result }) => result?.outcome === "denied");

/** The program's answer. The program reports its own usage; nothing is estimated. */
function answerEvent(text: string, finish: string, { action, live }: Prompt): EventBody {
  return {
    type: "AGENT_THOUGHT",
    payload: {
      ...attemptOf(action),
      content: [{ type: "text", text }],
      usage: { input: 0, output: 0 },
      cost: live.takeCost() ?? null,
      finish,
      ms: live.workedMs,
    },
  };
}

const FAILURES: Partial<Record<string, Failure>> = {
  max_tokens: { cause: "output_cap", message: "The program's answer reached its output cap." },
  max_turn_requests: { cause: "model", message: "The program stopped at its own limit of turns." },
  refusal: { cause: "refused", message: "The program refused the task." },
  cancelled: { cause: "model", message: "The program stopped its work by itself, without an answer." },
};

function fail(action: CallModel, why: Failure, run: RunJournal, live?: LiveRunner): void {
  const cost = live?.takeCost();
  const spent = cost === undefined ? {} : { usage: { input: 0, output: 0 }, cost };
  const payload = { ...attemptOf(action), ...(live && { ms: live.workedMs }), ...spent, ...why };
  run.record({ type: "MODEL_CALL_FAILED", payload });
}

/** Reserves nothing, because the cost is unknown. The prompt is refused only if the budget is already spent. */
function runnerReservation({ state }: RunJournal) {
  const budget = budgetOf(state);
  const tree = treeBudgetOf(state) ?? {};
  if (!hasBudget(budget) && !hasBudget(tree)) return {};
  return { reserve: { estimate: { tokens: 0, cost: null }, run: budget, tree } };
}

/** Records the reported cost. This happens before the run rests, and before other runs spend from the same budget. */
function recordCost({ action, live, run }: Prompt): void {
  if (!live.cost) return;
  const payload = { ...attemptOf(action), index: run.state.runner.spent, cost: live.takeCost()! };
  run.record({ type: "RUNNER_SPENT", payload });
}

/**
 * Checks the reported cost against the budgets of the run and its tree.
 * The cost of a prompt is not known beforehand, so a used-up budget can stop the work in the middle.
 * `stays` is true if the work can continue after a person raises the budget.
 */
async function checkBudget(prompt: Prompt): Promise<(Failure & { stays: boolean }) | undefined> {
  const { action, live, run } = prompt;
  const needs = runnerReservation(run);
  if (!needs.reserve || !live.cost) return undefined;
  recordCost(prompt);
  let refused = await run.begin([], needs);
  // A signal was appended first and is folded now. The budget must still be checked.
  if (refused === "signals") refused = await run.begin([], runnerReservation(run));
  if (refused !== "budget") return undefined;
  const { limit, value } = run.exceededBudget!;
  recordBudgetStop(action, run.exceededBudget!, run);
  const stays = openBudgetItem(run.state) !== undefined;
  const message = `Stopped: ${isTreeLimit(limit) ? "its tree" : "it"} has cost what it may (${value}).`;
  return { cause: stays ? "interrupted" : "model", message, stays };
}

/**
 * Recovers a prompt that a program was working on when the previous process ended. Leftover processes are killed first.
 * If the program can resume its session, it is asked to continue. Otherwise the state of its work is unknown, and a person is asked (P4).
 */
export async function recoverPrompt(run: RunJournal, parts: Pick<LoopParts, "runners">): Promise<void> {
  if (parts.runners.find(run.runId)) return;
  const { started } = run.state.runner;
  const isEnded = started === undefined || (await parts.runners.endLeftover(started));
  closeOpenCalls(run, "The program was ended while it did this: it is not known whether it was done.");
  if (!started || run.state.cancel || (resumableSession(run) !== undefined && isEnded))
    return run.record(processEnded(run));
  const { command, host } = started;
  recordLostSession(
    isEnded
      ? `${command} cannot go on with a session that was ended.`
      : `${command} may still run on ${host}.`,
    run,
  );
}

/** Only a person can find out what happened to the prompt, so the prompt is recorded as a call with an unknown outcome. */
function recordLostSession(why: string, run: RunJournal): void {
  const { command, host, pid } = run.state.runner.started!;
  const toolCallId = `${run.state.openModelCall!.callId}.${run.state.runner.calls}`;
  const judged = { name: PROMPT, effect: "unsafe" as const, verdict: "allow" as const, rule: why };
  const input = { command, task: run.state.start!.task };
  run.record(
    processEnded(run),
    { type: "TOOL_PROPOSED", payload: { toolCallId, ...judged, input } },
    { type: "TOOL_STARTED", payload: { toolCallId, host, pid } },
  );
}

function processEnded({ state }: RunJournal): EventBody {
  const message = "The process ended while the program was at work.";
  const payload = { ...attemptOf(state.openModelCall!), cause: "interrupted" as const, message };
  return { type: "MODEL_CALL_FAILED", payload };
}
