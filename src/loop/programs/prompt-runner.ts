// One prompt to the program that does an agent's work: intent, work and outcome, as a model call has them.
//  RN1  The journal knows the process before it is asked anything.
//  RN2  What the program asks is answered from the journal alone: a call that was started is allowed, one that has its result is not.
//  RN3  While a person thinks, the run rests and the program waits; if it is gone by then, the journal has what is needed to go on.

import { messageOf } from "../../errors.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { FINAL_NOT_COVERED } from "../drive/decide-turn.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { handleRefusedCall, modelCallIntent } from "../model/call-model.ts";
import type { LoopParts } from "../parts.ts";
import { recordLostSession, recoverPrompt } from "./recover-prompt.ts";
import type { LiveRunner, RunnerReport } from "./runner.ts";
import { checkRunnerBudget, recordCost, runnerReservation } from "./runner-budget.ts";
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
  /** It was asked to stop, and this is why. */
  stopping?: Failure;
  /** It was asked to stop, and may be asked to go on. */
  stays?: boolean;
}

/** A program that tells nothing for so long is stopped, unless `toolTimeout` gives it less or more. */
const SILENCE_MS = 8 * 60_000;
/** A program that was asked to stop is ended after this time. */
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
  if (problem !== undefined) return hold(problem, run);
  if (action.purpose === "final" && run.state.runner.started && !knowsTask(run, parts))
    return run.record(NOT_COVERED);
  // Before the intent: from then on they count as seen.
  const words = runnerPrompt(action, run, parts);
  const refused = await run.beginWork([modelCallIntent(action, undefined)], runnerReservation(run));
  if (refused) return handleRefusedCall(refused, action, run, parts);
  if (!parts.mayBegin()) return run.release();
  if (isGoneMeanwhile(action, run, parts)) return recordLostSession(GONE_MEANWHILE, run);
  const ready = await started(action, run, parts, effects);
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

/** One that was stopped in the middle, and has ended before it could go on, would do anew what it has done. */
function isGoneMeanwhile({ callId }: CallModel, run: RunJournal, parts: RunnerParts): boolean {
  const { runner, calls } = run.state;
  const worked = [...calls.keys()].some((id) => id.startsWith(`${callId}.`));
  return worked && runner.started !== undefined && !runner.isLost && !knowsTask(run, parts);
}

const GONE_MEANWHILE = "It was stopped in the middle of its work, and has ended since.";

/** Suspends the run until a person has fixed the problem and resumed it. */
async function hold(problem: string, run: RunJournal): Promise<void> {
  const payload = { waitingOn: { kind: "definition_changed" as const, items: [], detail: problem } };
  const key = `suspended/${run.state.suspensions + 1}`;
  await run.rest([{ type: "RUN_SUSPENDED", payload, key }], undefined);
}

/** A session that is lost cannot sum itself up, and a new one would begin the work anew. */
const NOT_COVERED: EventBody = {
  type: "LIMIT_REACHED",
  payload: { limit: "finalTurn", value: 0, hard: true },
  key: FINAL_NOT_COVERED,
};

async function started(
  action: CallModel,
  run: RunJournal,
  parts: RunnerParts,
  effects: AbortSignal,
): Promise<LiveRunner | undefined> {
  const { runId, definition, state } = run;
  const there = parts.runners.find(runId);
  if (there) return there;
  const { callId, attempt } = action;
  const session = resumableSession(run);
  const { workspace } = state.start!;
  try {
    const live = await parts.runners.start({ runId, definition, workspace, session, signal: effects });
    const payload = { callId, ...(attempt > 1 ? { attempt } : {}), ...live.facts, host: parts.host };
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

/** Until it has answered, or asks something that is not for this driver to say. */
async function listen(prompt: Prompt): Promise<void> {
  const { live, run, parts } = prompt;
  deliverDecisions(live, run);
  while (!run.isOver) {
    const from = parts.clock.elapsed();
    const told = await live.nextReport(timeFor(prompt));
    run.noteActivity();
    live.workedMs += Math.round(parts.clock.elapsed() - from);
    if (!prompt.stopping && GOES_ON.has(told.type)) await holdToLimits(told, prompt);
    if (await heard(told, prompt)) return;
  }
  await parts.runners.end(run.runId);
}

/** Before what it tells is acted on: nothing more is asked of a person, or begun, for what is stopped. */
const GOES_ON: ReadonlySet<RunnerReport["type"]> = new Set(["message", "call", "asked", "plan", "spent"]);

function timeFor({ action, live, run, effects, stopping }: Prompt) {
  if (stopping) return { signal: new AbortController().signal, ms: STOP_GRACE_MS, silenceMs: STOP_GRACE_MS };
  const { limits } = run.state.start!;
  const ms =
    action.purpose === "final" ? LAST_TURN_MS : Math.max(0, limits.maxDuration - run.state.usage.activeMs);
  return { signal: effects, ms: ms - live.workedMs, silenceMs: limits.toolTimeout ?? SILENCE_MS };
}

/** True: there is nothing more to hear now. */
async function heard(told: RunnerReport, prompt: Prompt): Promise<boolean> {
  const { live, run, parts, effects, stopping } = prompt;
  switch (told.type) {
    case "message":
      run.record(said(told.text, prompt));
      return false;
    case "spent":
      return false;
    case "plan":
      run.record(...planEvents(told.todos, prompt));
      return false;
    case "call": {
      const forbidden = await recordReportedCall(told.call, prompt);
      if (forbidden !== undefined && !stopping) stop({ cause: "rejected", message: forbidden }, prompt);
      return false;
    }
    case "asked":
      if (!stopping) await proposeRunnerCall(told, prompt);
      else live.answer(told.ask, false);
      return !stopping;
    case "answer":
      if (stopping) await stopped(prompt);
      else answered(told, prompt);
      return true;
    case "gone":
      await over(stopping ?? goneFailure(told.why, prompt), prompt);
      return true;
    case "silent":
    case "late":
      if (stopping) await over(stopping, prompt);
      else stop(told.type === "late" ? LATE : SILENT, prompt);
      return stopping !== undefined;
    case "stopped":
      if (effects.reason === "cancel" || run.state.cancel) {
        stop(INTERRUPTED, prompt);
        return false;
      }
      // As a crash leaves it: whoever takes the run next sees an open call, and no process.
      await parts.runners.end(run.runId);
      return true;
  }
}

const LATE: Failure = { cause: "timeout", message: "Stopped: the time that the run may be active is over." };
const SILENT: Failure = {
  cause: "timeout",
  message: "The program was stopped: nothing was heard of it for too long.",
};

function said(text: string, { action: { callId }, run }: Prompt): EventBody {
  return { type: "RUNNER_SAID", payload: { callId, index: run.state.runner.said, text } };
}

/** What ends the work from outside. */
async function holdToLimits({ type }: RunnerReport, prompt: Prompt): Promise<void> {
  const { action, run } = prompt;
  if (run.state.seq >= run.state.start!.limits.maxEvents)
    return stop({ cause: "model", message: "Stopped: its journal is as long as it may be." }, prompt);
  const over = await checkRunnerBudget(prompt);
  if (!over) return type === "asked" ? recordCost(prompt) : undefined;
  const { stays, ...why } = over;
  if (!stays && action.purpose !== "final") run.record(NOT_COVERED);
  prompt.stays = stays;
  stop(why, prompt);
}

function stop(why: Failure, prompt: Prompt): void {
  prompt.stopping = why;
  prompt.live.cancel();
}

/** It has stopped by itself: after a limit it may still be asked for its last words, or to go on. */
async function stopped(prompt: Prompt): Promise<void> {
  const { stopping, stays, action, run } = prompt;
  if (stopping !== LATE && !stays) return over(stopping!, prompt);
  closeOpenCalls(run, STOPPED);
  fail(action, stopping!, run, prompt.live);
}

const STOPPED = "It was stopped from outside: some of it may have been done.";

async function over(why: Failure, { action, live, run, parts }: Prompt): Promise<void> {
  await parts.runners.end(run.runId);
  closeOpenCalls(run, STOPPED);
  fail(action, why, run, live);
}

/** One that can go on with its session is started again, a few times. */
function goneFailure(why: string, { live, run, parts }: Prompt): Failure {
  const message = `The program ended before it had answered: ${why}.`;
  const tries = run.state.openModelCall?.tries ?? 1;
  if (!live.facts.loads || tries >= MAX_TRIES) return { cause: "model", message };
  return { cause: "network", message, retryAt: parts.clock.now() + 1_000 * 2 ** (tries - 1) };
}

function answered({ text, stop: how }: Extract<RunnerReport, { type: "answer" }>, prompt: Prompt): void {
  const { action, live, run } = prompt;
  const failure = how === "cancelled" && isRefused(run) ? undefined : FAILURES[how];
  closeOpenCalls(run, undefined);
  if (failure) fail(action, failure, run, live);
  else run.record(thought(text, how, prompt));
}

/** One that stops where it is told no has not failed: it is asked to go on another way. */
const isRefused = ({ state }: RunJournal): boolean =>
  [...state.calls.values()].some(({ result }) => result?.outcome === "denied");

/** What it used is its own account: what nobody told is not made up. */
function thought(text: string, finish: string, { action, live }: Prompt): EventBody {
  const { callId, attempt } = action;
  return {
    type: "AGENT_THOUGHT",
    payload: {
      callId,
      ...(attempt > 1 ? { attempt } : {}),
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
  refusal: { cause: "rejected", message: "The program refused the task." },
  cancelled: { cause: "model", message: "The program stopped its work by itself, without an answer." },
};

function fail(action: CallModel, why: Failure, run: RunJournal, live?: LiveRunner): void {
  const { callId, attempt } = action;
  const cost = live?.takeCost();
  const spent = cost === undefined ? {} : { usage: { input: 0, output: 0 }, cost };
  run.record({
    type: "MODEL_CALL_FAILED",
    payload: {
      callId,
      ...(attempt > 1 ? { attempt } : {}),
      ...(live ? { ms: live.workedMs } : {}),
      ...spent,
      ...why,
    },
  });
}
