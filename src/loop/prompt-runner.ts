// One prompt to the program that does an agent's work: intent, work and outcome, as a model call has them.
//  RN1  The journal knows the process before it is asked anything.
//  RN2  What the program asks is answered from the journal alone: a call that was started is allowed, one that has its result is not.
//  RN3  While a person thinks, the run rests and the program waits; if it is gone by then, the journal has what is needed to go on.

import { messageOf } from "../errors.ts";
import type { EventBody, Payload } from "../journal/events.ts";
import type { Action } from "../patterns/action.ts";
import { beginWork } from "./begin-work.ts";
import { afterRefusal, intent } from "./call-model.ts";
import { FINAL_NOT_COVERED } from "./decide-turn.ts";
import { budgetOf, hasBudget } from "./limits.ts";
import type { LoopParts } from "./parts.ts";
import { loseSession, recoverPrompt } from "./recover-prompt.ts";
import type { RunJournal } from "./run-journal.ts";
import { closeCalls, deliver, planned, proposeAsked, reported, type UnderWay } from "./runner-calls.ts";
import { knowsTask, runnerWords, sessionOf } from "./runner-words.ts";
import type { LiveRunner, Told } from "./runners.ts";

type CallModel = Extract<Action, { type: "call-model" }>;
type Failure = Pick<Payload<"MODEL_CALL_FAILED">, "cause" | "message" | "retryAt">;

interface Prompt extends UnderWay {
  action: CallModel;
  effects: AbortSignal;
  /** It was asked to stop, and this is why. */
  stopping?: Failure;
}

/** A program that tells nothing for so long is stopped, unless `toolTimeout` gives it less or more. */
const SILENCE_MS = 8 * 60_000;
/** A program that was asked to stop is ended after this time. */
const STOP_GRACE_MS = 5_000;
const LAST_TURN_MS = 2 * 60_000;
const MAX_TRIES = 3;

export async function promptRunner(
  action: CallModel,
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<void> {
  const live = parts.runners.live(run.runId);
  if (run.state.openModelCall)
    return live ? listen({ action, live, run, parts, effects }) : recoverPrompt(run, parts);
  const problem = parts.runners.problem(run.definition);
  if (problem !== undefined) return hold(problem, run);
  if (action.purpose === "final" && run.state.runner.started && !knowsTask(run, parts))
    return run.record(NOT_COVERED);
  // Before the intent: from then on they count as seen.
  const words = runnerWords(action, run, parts);
  const refused = await beginWork([intent(action, undefined)], run, parts, reservation(run));
  if (refused) return afterRefusal(refused, action, run, parts);
  if (!parts.mayBegin()) return run.release();
  const ready = await started(action, run, parts, effects);
  if (!ready) return;
  const delta = { type: "text.delta" as const, runId: run.runId, callId: action.callId };
  const text = parts.mask.stream((piece) =>
    parts.onDelta({ ...delta, attempt: action.attempt, text: piece }),
  );
  ready.workedMs = 0;
  ready.prompt(words, text.add);
  return listen({ action, live: ready, run, parts, effects });
}

/** Nothing is lost: a person puts it right, and resumes the run. */
async function hold(problem: string, run: RunJournal): Promise<void> {
  const detail = `${problem} Nothing is lost: put that right, then resume the run.`;
  const payload = { waitingOn: { kind: "definition_changed" as const, items: [], detail } };
  const key = `suspended/${run.state.suspensions + 1}`;
  await run.rest([{ type: "RUN_SUSPENDED", payload, key }], undefined);
}

/** A session that is lost cannot sum itself up, and a new one would begin the work anew. */
const NOT_COVERED: EventBody = {
  type: "LIMIT_REACHED",
  payload: { limit: "finalTurn", value: 0, hard: true },
  key: FINAL_NOT_COVERED,
};

/** What a program will spend nobody knows: only what is spent already can refuse it. */
function reservation({ state }: RunJournal) {
  const budget = budgetOf(state);
  const tree = state.start!.limits.tree ?? {};
  if (!hasBudget(budget) && !hasBudget(tree)) return {};
  return { reserve: { estimate: { tokens: 0, cost: null }, run: budget, tree } };
}

async function started(
  action: CallModel,
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<LiveRunner | undefined> {
  const { runId, definition, state } = run;
  const there = parts.runners.live(runId);
  if (there) return there;
  const { callId, attempt } = action;
  const session = sessionOf(run);
  const { workspace } = state.start!;
  try {
    const live = await parts.runners.start({ runId, definition, workspace, session, signal: effects });
    const payload = { callId, ...(attempt > 1 ? { attempt } : {}), ...live.facts, host: parts.host };
    if (!(await run.begin([{ type: "RUNNER_STARTED", payload }]))) return live;
    fail(action, INTERRUPTED, run);
  } catch (error) {
    if (effects.aborted) fail(action, INTERRUPTED, run);
    else if (session === undefined) fail(action, { cause: "model", message: messageOf(error) }, run);
    else loseSession(messageOf(error), run);
  }
  await parts.runners.end(runId);
  return undefined;
}

const INTERRUPTED: Failure = { cause: "interrupted", message: "Stopped before the answer was complete." };

/** Until it has answered, or asks something that is not for this driver to say. */
async function listen(prompt: Prompt): Promise<void> {
  const { live, run, parts } = prompt;
  deliver(live, run);
  while (!run.over) {
    const from = parts.clock.elapsed();
    const told = await live.next(timeFor(prompt));
    live.workedMs += Math.round(parts.clock.elapsed() - from);
    if (await heard(told, prompt)) return;
    const limit = prompt.stopping ? undefined : reachedBy(prompt);
    if (limit) stop(limit, prompt);
  }
  await parts.runners.end(run.runId);
}

function timeFor({ action, live, run, effects, stopping }: Prompt) {
  if (stopping) return { signal: new AbortController().signal, ms: STOP_GRACE_MS, silenceMs: STOP_GRACE_MS };
  const { limits } = run.state.start!;
  const ms =
    action.purpose === "final" ? LAST_TURN_MS : Math.max(0, limits.maxDuration - run.state.usage.activeMs);
  return { signal: effects, ms: ms - live.workedMs, silenceMs: limits.toolTimeout ?? SILENCE_MS };
}

/** True: there is nothing more to hear now. */
async function heard(told: Told, prompt: Prompt): Promise<boolean> {
  const { live, run, parts, effects, stopping } = prompt;
  switch (told.type) {
    case "message":
      run.record(said(told.text, prompt));
      return false;
    case "plan":
      run.record(...planned(told.todos, prompt));
      return false;
    case "call": {
      const forbidden = await reported(told.call, prompt);
      if (forbidden !== undefined && !stopping) stop({ cause: "rejected", message: forbidden }, prompt);
      return false;
    }
    case "asked":
      if (!stopping) await proposeAsked(told, prompt);
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

/** What ends the work from outside; undefined: nothing does. */
function reachedBy({ live, run }: Prompt): Failure | undefined {
  const { state } = run;
  const { maxCost } = budgetOf(state);
  if (state.seq >= state.start!.limits.maxEvents)
    return { cause: "model", message: "Stopped: its journal is as long as it may be." };
  if (maxCost === undefined || state.usage.cost + (live.cost ?? 0) < maxCost) return undefined;
  run.record(
    { type: "LIMIT_REACHED", payload: { limit: "maxCost", value: maxCost, hard: true } },
    NOT_COVERED,
  );
  return { cause: "model", message: `Stopped: it has cost what it may (${maxCost}).` };
}

function stop(why: Failure, prompt: Prompt): void {
  prompt.stopping = why;
  prompt.live.cancel();
}

/** It has stopped by itself: after a limit it may still be asked for its last words. */
async function stopped(prompt: Prompt): Promise<void> {
  const { stopping, action, run } = prompt;
  if (stopping !== LATE) return over(stopping!, prompt);
  closeCalls(run, STOPPED);
  fail(action, LATE, run, prompt.live);
}

const STOPPED = "It was stopped from outside: some of it may have been done.";

async function over(why: Failure, { action, live, run, parts }: Prompt): Promise<void> {
  await parts.runners.end(run.runId);
  closeCalls(run, STOPPED);
  fail(action, why, run, live);
}

/** One that can go on with its session is started again, a few times. */
function goneFailure(why: string, { live, run, parts }: Prompt): Failure {
  const message = `The program ended before it had answered: ${why}.`;
  const tries = run.state.openModelCall?.tries ?? 1;
  if (!live.facts.loads || tries >= MAX_TRIES) return { cause: "model", message };
  return { cause: "network", message, retryAt: parts.clock.now() + 1_000 * 2 ** (tries - 1) };
}

function answered({ text, stop: how }: Extract<Told, { type: "answer" }>, prompt: Prompt): void {
  const { action, live, run } = prompt;
  const failure = how === "cancelled" && isRefused(run) ? undefined : FAILURES[how];
  closeCalls(run, undefined);
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
