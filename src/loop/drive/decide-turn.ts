// Decides about the agent's own turns: what its last answer means, and whether the agent takes another turn. Pure, like `decide`.

import { modelCallId } from "../../ids.ts";
import type { Definition } from "../../journal/definition.ts";
import type { EventBody, Payload, Purpose, StopReason } from "../../journal/events.ts";
import { MAX_NESTING } from "../../journal/message.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import { systemNote, toolResult } from "../../patterns/events.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { isCoordinating, isTeamMember, memberEnding } from "../../patterns/team-role.ts";
import { LAST_TURN, type RunState, repeatsOf } from "../../projections/folds/run-state.ts";
import { loopItemId, VOTE_CONCLUDE } from "../../projections/folds/tool-call.ts";
import { filesInPrompt, promptTokens, type Transcript } from "../../projections/folds/transcript.ts";
import { isTreeLimit, SOFT_SHARE } from "../../projections/usage/budgets.ts";
import { plural } from "../../projections/words/format.ts";
import { describeLeast, describeLimit } from "../../projections/words/limits.ts";
import { endsWithReport, reportOf } from "../builtin-tools/declared/closing-tools.ts";
import { planClear, planClip, planSummary, type Room } from "../model/compaction.ts";
import {
  type HardLimit,
  hardLimit,
  lastTurnTime,
  openBudgetItem,
  softLimit,
  stopReasonOf,
} from "./limits.ts";

const NUDGE_AFTER = 3;
const STOP_AFTER = 4;
const STOP_AFTER_WAITS = 60;
const MAX_REFUSED = 5;
const MAX_CUT_OFF = 3;
/** Maximum number of times in a row that an answer which the output limit has cut is continued. */
const MAX_CONTINUED = 10;

/** A prompt that fills more than this share of the window is summarised. */
const COMPACT_SHARE = 0.75;
/** A prompt that fills more than this share would be refused. */
const FULL_SHARE = 0.95;
/** Maximum share of the window for the prompt after one, two, three and four refusals in a row. After a fifth refusal, Cadre gives up on the model. */
const SHARES_AFTER_REFUSAL = [0.7, 0.5, 0.3, 0.15];

export interface RunView extends DecisionView {
  transcript: Transcript;
}

/** Facts that a decision needs but that no journal contains. */
export interface DecisionFacts {
  now: number;
  /** Size of the model's context window in tokens. Undefined if it is not known. */
  contextWindow: number | undefined;
  /** Whether the agent has a tool that can read cleared results again. */
  readsResults: boolean;
}

export function nextTurn(view: RunView, facts: DecisionFacts): Action {
  const { state, transcript } = view;
  const report = reportOf(view);
  const limit = hardLimit(state);
  if (report) {
    const last = state.latest?.purpose === "final" && limit;
    if (transcript.unseen.length > 0 && !last && !state.isClosing) return deferReport(state);
    const stopReason = last ? stopReasonOf(limit.limit) : "final_answer";
    return endRun({ status: "completed", stopReason, ...report });
  }
  const ending = endOfMemberTurn(view);
  if (ending) return endRun(ending);
  return (
    (mayRetry(state) ? afterFailure(view, facts) : undefined) ?? afterText(view) ?? takeTurn(view, facts)
  );
}

/** Calls the model once more, even if its last answer could end the run. */
export function takeTurn(view: RunView, facts: DecisionFacts): Action {
  const { state } = view;
  return (
    (mayRetry(state) ? afterFailure(view, facts) : undefined) ??
    stopForPerson(state) ??
    lastTurn(view) ??
    warning(state) ??
    turnWarning(state) ??
    shortenPrompt(view, facts) ??
    callModel(view, hardLimit(state) ? "final" : "turn")
  );
}

/** Ends a team member's run for this round, after a vote or after text without a call. The member's last turn always ends its run. */
function endOfMemberTurn(view: RunView): Ending | undefined {
  const { state, transcript, definition } = view;
  const { latest, calls } = state;
  if (!latest || !isTeamMember(definition, state.start!) || isCoordinating(view)) return undefined;
  const limit = hardLimit(state);
  const last = latest.purpose === "final" && limit;
  const voted = [...calls.values()].some(
    ({ name, result }) => name === VOTE_CONCLUDE && result?.outcome === "ok",
  );
  const spoke = calls.size === 0 && latest.cuts === 0 && latest.text.trim() !== "";
  if (last) return memberEnding(view, stopReasonOf(limit.limit));
  const hasUnseen = transcript.unseen.length > 0 && !state.isClosing;
  return (voted || spoke) && !hasUnseen ? memberEnding(view, "final_answer") : undefined;
}

/** J11: if a message arrived while the model wrote its report, the model has to read the message and report again. */
function deferReport({ calls }: RunState): Action {
  const [callId] = calls.keys();
  const output = "Not taken yet: a message came in meanwhile. Look at it, then report.";
  return { type: "record", events: [toolResult(callId!, output, "deferred")] };
}

/** Whether a failed model call can be retried. After a hard limit, only the call of the last turn can be retried. */
function mayRetry(state: RunState): boolean {
  if (!hardLimit(state)) return true;
  return state.failedCall?.purpose === "final" && !state.reachedLimits.has(FINAL_NOT_COVERED);
}

/** Decides what follows a failed model call: make the prompt shorter, wait, try the next model, or give up. */
function afterFailure(view: RunView, facts: DecisionFacts): Action | undefined {
  const { state, transcript } = view;
  const { failedCall } = state;
  const { now } = facts;
  if (!failedCall) return undefined;
  const limit = failedCall.cause === "timeout" ? hardLimit(state) : undefined;
  if (limit && failedCall.purpose === "final" && (failedCall.ms ?? 0) >= lastTurnTime(state))
    return endWithoutReport(state, limit);
  if (failedCall.cause === "too_long" && mayBecomeShorter(view, facts)) return afterOverflow(view, facts);
  const { callId, purpose } = failedCall;
  const attempt = (failedCall.attempt ?? 1) + 1;
  const retryWith = (model: string): Action => ({ type: "call-model", callId, attempt, model, purpose });
  if (failedCall.cause === "interrupted") return retryWith(failedCall.model);
  if (failedCall.rejection === "invalid") {
    // A damaged or locked file would be rejected in every later call too, so the call is repeated with the names of the files.
    const count = filesInPrompt(transcript.placed).length;
    if (count > 0) return clipPrompt({ files: { count, why: "rejected" } }, transcript);
    // Some models reject a forced tool. The note before the last turn names the tool, so the turn is requested once more without force.
    if (purpose === "final" && failedCall.tries === 1) return retryWith(failedCall.model);
  }
  if (failedCall.cause === "output_cap" && failedCall.paidTries < MAX_CUT_OFF) {
    const id = `cut-off/${callId}`;
    return state.systemNotes.has(id) ? retryWith(failedCall.model) : tellAgent(id, CUT_OFF);
  }
  if (failedCall.cause === "unreadable" && !state.systemNotes.has(`unreadable/${callId}`))
    return tellAgent(`unreadable/${callId}`, UNREADABLE);
  if (failedCall.cause === "unreadable" && failedCall.paidTries === 1) return retryWith(failedCall.model);
  if (failedCall.retryAt !== undefined) {
    return failedCall.retryAt > now && !state.retryNow
      ? { type: "rest", wakeAt: failedCall.retryAt }
      : retryWith(failedCall.retryWith ?? failedCall.model);
  }
  const next = nextInChain(failedCall.model, view, failedCall.backAt !== undefined);
  if (next !== undefined) return retryWith(next);
  const stopReason = limit ? stopReasonOf(limit.limit) : (STOP_REASONS[failedCall.cause] ?? "provider");
  const suggestions = [adviceFor(failedCall)];
  return endRun({ status: "failed", stopReason, summary: failedCall.message, suggestions });
}

/**
 * The next model of the chain that this call has not given up. Undefined if there is none.
 * During an outage, the models before the failed one are also tried again, because they might work now.
 */
export function nextInChain(
  model: string,
  { state, definition: { models } }: Pick<DecisionView, "state" | "definition">,
  isOutage: boolean,
): string | undefined {
  const at = models.indexOf(model);
  const order = [...models.slice(at + 1), ...(isOutage ? models.slice(0, Math.max(0, at)) : [])];
  return order.find((other) => !state.failedModels.has(other));
}

/** Why a run stops after a failed model call, if the provider is not to blame. */
const STOP_REASONS: Partial<Record<Payload<"MODEL_CALL_FAILED">["cause"], StopReason>> = {
  output_cap: "output_limit",
  refused: "refused",
};

/** True if the refused prompt is shorter now or can become shorter. After the first refusal this is always assumed. */
function mayBecomeShorter(view: RunView, facts: DecisionFacts): boolean {
  const { refusals, isCompacted } = view.state.overflow!;
  if (isCompacted || refusals === 1) return true;
  return refusals <= SHARES_AFTER_REFUSAL.length && planAfterRefusal(view, facts) !== undefined;
}

/** Makes the refused prompt shorter, then repeats the call. Undefined if only a summary was refused: then the agent's next turn follows. */
function afterOverflow(view: RunView, facts: DecisionFacts): Action | undefined {
  const { call, isCompacted } = view.state.overflow!;
  const shorter = isCompacted ? undefined : planAfterRefusal(view, facts);
  if (shorter) return shorter;
  if (!call) return undefined;
  const { callId, model, purpose } = call;
  return { type: "call-model", callId, attempt: (call.attempt ?? 1) + 1, model, purpose };
}

/** Only the first refusal of a turn leads to a summary, because the summary itself can be refused. */
function planAfterRefusal(view: RunView, facts: DecisionFacts): Action | undefined {
  const { state, transcript } = view;
  const { call, refusals } = state.overflow!;
  const room = roomOf(view, facts.contextWindow);
  if (refusals === 1) {
    const most = room.window * COMPACT_SHARE;
    const cleared = planClear(transcript, room, { most, readable: facts.readsResults });
    if (cleared) return clipPrompt(cleared, transcript);
    if (call?.purpose === "turn" && planSummary(transcript, room)) return callModel(view, "summary");
  }
  const share = SHARES_AFTER_REFUSAL[refusals - 1]!;
  const plan = planClip(transcript, room, room.window * share);
  if (plan) return clipPrompt(plan, transcript);
  return planSummary(transcript, room, "people") && callModel(view, "summary");
}

/** Makes a long prompt shorter before the provider refuses it. If Cadre only guesses the window, it clips nothing, because the prompt might be accepted. */
function shortenPrompt(view: RunView, facts: DecisionFacts): Action | undefined {
  const { state, transcript, definition } = view;
  // A program keeps its own history, so it needs no summary.
  if (definition.runner) return undefined;
  const room = roomOf(view, facts.contextWindow);
  const tokens = promptTokens(transcript);
  if (tokens <= room.window * COMPACT_SHARE) return undefined;
  const cleared = hardLimit(state)
    ? undefined
    : planClear(transcript, room, { readable: facts.readsResults });
  if (cleared) return clipPrompt(cleared, transcript);
  // After a summary the agent takes a turn, even if the summary was too long. Otherwise summaries could follow each other for ever.
  const hadTurn = (state.latest?.seq ?? 0) >= transcript.summarizedAt;
  if (hadTurn && !hardLimit(state) && planSummary(transcript, room)) return callModel(view, "summary");
  // A prompt is clipped only if it would be refused. A model that has answered longer prompts has a larger window than Cadre knows.
  const isAccepted = room.isAssumed || room.answered > room.window;
  if (isAccepted || tokens <= room.window * FULL_SHARE) return undefined;
  const plan = planClip(transcript, room, room.window * COMPACT_SHARE);
  if (plan) return clipPrompt(plan, transcript);
  if (!hadTurn || hardLimit(state)) return undefined;
  return planSummary(transcript, room, "people") && callModel(view, "summary");
}

type Clip = Omit<Payload<"CONTEXT_CLIPPED">, "index">;

const clipPrompt = (plan: Clip, { clips }: Transcript): Action => ({
  type: "record",
  events: [{ type: "CONTEXT_CLIPPED", payload: { index: clips + 1, ...plan } }],
});

/** Handles an answer without calls: its text becomes the run's answer, unless the text is empty. */
function afterText({ state, transcript, definition }: RunView): Action | undefined {
  const { latest, guard } = state;
  if (!latest || state.calls.size > 0) return undefined;
  const limit = hardLimit(state);
  const last = latest.purpose === "final" && limit !== undefined;
  if (latest.isPaused && !last) {
    const id = `paused/${state.turns}`;
    return state.systemNotes.has(id) ? undefined : tellAgent(id, "Your answer was paused. Go on from there.");
  }
  if (latest.cuts > 0 && !last) return continueText(state);
  if (guard.empty > 0 && !last) return afterSilence({ state, definition });
  if (transcript.unseen.length > 0 && !last && !state.isClosing) return undefined;
  if (definition.output !== undefined) return withoutOutput(state, last);
  const stopReason = last ? stopReasonOf(limit.limit) : "final_answer";
  if (guard.empty > 0) return endRun({ status: "failed", stopReason, summary: missingReport(state) });
  return endRun({ status: "completed", stopReason, summary: latest.text.trim() });
}

/** The text of an answer that was cut is kept, and the next turn continues it. */
function continueText(state: RunState): Action | undefined {
  const { cuts, text } = state.latest!;
  const id = `cut/${state.turns}`;
  if (state.systemNotes.has(id)) return undefined;
  if (cuts <= MAX_CONTINUED) return tellAgent(id, CONTINUE);
  const suggestions = [adviceFor({ cause: "output_cap" })];
  return endRun({ status: "failed", stopReason: "output_limit", summary: text.trim(), suggestions });
}

function afterSilence({ state, definition }: DecisionView): Action | undefined {
  const id = `empty/${state.turns}`;
  const isStopped = state.guard.empty > 1 && stopsLoops(state);
  if (!isStopped && !state.systemNotes.has(id)) {
    const end = endsWithReport(definition) ? "end it with `final_report`" : "answer it with text";
    return tellAgent(id, `Your answer was empty. Go on with the task, or ${end}.`);
  }
  return isStopped ? stopFor(state, "The model answered with nothing, twice in a row.") : undefined;
}

/** Handles a text answer from an agent that must give structured output. The first time, the agent gets a hint. The second time, the run fails. */
function withoutOutput(state: RunState, last: boolean): Action {
  const id = "output-missing";
  if (!last && !state.systemNotes.has(id)) return tellAgent(id, OUTPUT_MISSING);
  const summary = "The agent gave no output of the form asked for.";
  return endRun({ status: "failed", stopReason: "invalid_output", summary });
}

/** F43, F45: stops an agent that repeats itself, before more money is spent. A person decides how the run continues. */
function stopForPerson(state: RunState): Action | undefined {
  const { guard } = state;
  const item = loopItemId(guard.stops);
  if (guard.stops > 0 && state.decisions.get(item)?.decision === "reject") {
    const summary = "Stopped by a person: the agent repeated itself.";
    return endRun({ status: "failed", stopReason: "loop", summary });
  }
  if (guard.badReports >= 2) {
    const summary = `The report did not fit, twice. ${guard.badReport ?? ""}`.trim();
    return endRun({ status: "failed", stopReason: "invalid_output", summary });
  }
  if (guard.refused >= MAX_REFUSED && stopsLoops(state))
    return stopFor(state, `${guard.refused} calls in a row were refused.`);
  const { repeats, waits } = repeatsOf(state);
  if ((repeats >= STOP_AFTER || waits >= STOP_AFTER_WAITS) && stopsLoops(state)) {
    const times = repeats + waits;
    return stopFor(state, `The same call was made ${times} times in a row, with the same result each time.`);
  }
  const id = `repeat/${state.turns}`;
  if (repeats === NUDGE_AFTER && waits === 0 && !state.systemNotes.has(id)) return tellAgent(id, REPEATED);
  return undefined;
}

/** S4: with `onLoop: continue`, only the run's limits end a loop. */
const stopsLoops = ({ start }: RunState): boolean => start!.approvals.onLoop !== "continue";

/** B3: announces the last turn after a hard limit. If the budget does not cover that turn, ends the run. */
function lastTurn({ state, definition }: RunView): Action | undefined {
  const limit = hardLimit(state);
  if (!limit) return undefined;
  const item = openBudgetItem(state);
  if (item) {
    const whose = isTreeLimit(limit.limit) ? "The budget of the whole tree" : "The budget";
    const detail = `${whose} does not cover the next call: ${describeLimit(limit)}.`;
    return { type: "suspend", waitingOn: { kind: "budget", items: [item], detail }, wakeAt: undefined };
  }
  const hadTurn = state.latest?.purpose === "final";
  const hasNoTurns = state.turns >= state.start!.limits.maxTurns;
  if (hadTurn || hasNoTurns || limit.limit === "maxEvents" || state.reachedLimits.has(FINAL_NOT_COVERED))
    return endWithoutReport(state, limit);
  const reached = `limit/${limit.limit}/hard`;
  const events: EventBody[] = [];
  if (!state.reachedLimits.has(reached) && !isRecorded(state, limit.limit)) {
    events.push({ type: "LIMIT_REACHED", payload: { ...limit, hard: true } });
  }
  if (!state.systemNotes.has(LAST_TURN))
    events.push(systemNote(LAST_TURN, lastTurnNote(definition, state.start!)));
  return events.length > 0 ? { type: "record", events } : undefined;
}

/** Ends a run that reached a hard limit and gave no report. Cadre writes the report. */
function endWithoutReport(state: RunState, limit: HardLimit): Action {
  const { runId, start } = state;
  const missing = missingReport(state, state.reachedLimits.get(FINAL_NOT_COVERED) ?? limit);
  const isTimeout = limit.limit === "maxDuration" && start!.parentRunId !== undefined;
  // The parent reads this summary, so it names the run.
  const summary = isTimeout ? `Child run ${runId} timed out after ${limit.value} ms. ${missing}` : missing;
  const least = describeLeast(limit);
  const suggestion =
    least === undefined ? SUGGEST_CONTINUE : `Set ${least}, then try the run again: it goes on from here.`;
  const stopReason = stopReasonOf(limit.limit);
  return endRun({ status: "failed", stopReason, summary, suggestions: [suggestion] });
}

/** Key of the event that is recorded if the budget does not cover even the last turn. */
export const FINAL_NOT_COVERED = "limit/finalTurn/hard";

const REPEATED =
  "You have made the same call three times in a row, and its result was the same each time. Do something else, or report. If you are waiting for something, wait before you look again, for example with `sleep 60` in the command.";
const CONTINUE =
  "Your answer was cut at the output limit. It is kept: continue it exactly where it stopped, without repeating anything.";
const UNREADABLE = `Your last answer could not be read and none of it was used: the input of a call was nested too deep. Use at most ${MAX_NESTING} levels.`;
const CUT_OFF =
  "Your last answer was cut off at the output cap and none of it was used. Answer in smaller pieces.";
const OUTPUT_MISSING =
  "This task ends with `final_report` and an `output` that fits its schema. Call it now.";
const SUGGEST_CONTINUE = "Try the run again: the new one goes on from here, with fresh counts.";

function lastTurnNote(definition: Definition, start: Payload<"RUN_STARTED">): string {
  if (definition.router) return "This is your last turn. Choose now who does the work: call `route_to`.";
  if (definition.runner)
    return "This is your last turn. Do nothing more: say what you did, what you found, what is still open.";
  if (isTeamMember(definition, start))
    return "This is your last turn in this round. Say with `broadcast` what the others must know, and vote with `vote_conclude`.";
  if (endsWithReport(definition))
    return "This is your last turn. Call `final_report` now: what you did, what you found, what is still open.";
  return "This is your last turn: no call is run any more. Answer now with text: what you did, what you found, what is still open.";
}

const isRecorded = (state: RunState, limit: string): boolean =>
  [...state.reachedLimits.values()].some((reached) => reached.hard && reached.limit === limit);

function warning(state: RunState): Action | undefined {
  const reached = softLimit(state);
  return reached && { type: "record", events: [{ type: "LIMIT_REACHED", payload: reached }] };
}

/** Assumed window of a model that Cadre does not know. If it is too large, a refusal by the provider shows the real size. */
const ASSUMED_WINDOW = 128_000;

/** The room in the next model's window. `configured` is the window in the configuration or the list of models. A refusal by the provider overrides it. */
export function roomOf(
  view: Pick<RunView, "state" | "definition" | "transcript">,
  configured: number | undefined,
): Room {
  const { overflow } = view.state;
  const { windows, answered } = view.transcript;
  const model = nextModel(view);
  const known = windows.get(model) ?? configured;
  return {
    window: known ?? ASSUMED_WINDOW,
    isAssumed: known === undefined,
    isRefused: overflow !== undefined && !overflow.isCompacted,
    answered: answered.get(model) ?? 0,
  };
}

/** The model of the next call: the model of the call that failed, or else of the latest turn, or else the agent's first model. */
export function nextModel({ state, definition }: Pick<DecisionView, "state" | "definition">): string {
  const model = state.overflow?.model ?? state.failedCall?.model ?? state.latest?.model;
  return model && definition.models.includes(model) ? model : definition.models[0]!;
}

/** Tells the agent once that most of its turns are used, early enough to finish its work. A run with few turns gets no warning. */
function turnWarning({ turns, start, systemNotes }: RunState): Action | undefined {
  const { maxTurns } = start!.limits;
  const left = maxTurns - turns;
  if (turns < Math.ceil(maxTurns * SOFT_SHARE) || left < 2 || systemNotes.has(TURNS_WARNING))
    return undefined;
  const text = `You have used ${turns} of your ${maxTurns} turns; ${left} are left, and the last is for your answer. Finish what matters most, and leave the rest for your answer.`;
  return tellAgent(TURNS_WARNING, text);
}

const TURNS_WARNING = "turns-warning";

function callModel(view: RunView, purpose: Purpose): Action {
  const callId = modelCallId(view.state.modelCalls + 1);
  return { type: "call-model", callId, attempt: 1, model: nextModel(view), purpose };
}

function stopFor(state: RunState, detail: string): Action {
  const { stops } = state.guard;
  // The previous stop might still be undecided, for example because the run was paused. Then its inbox item is used again.
  const undecided = stops > 0 && !state.decisions.has(loopItemId(stops));
  const items = [loopItemId(undecided ? stops : stops + 1)];
  return { type: "suspend", waitingOn: { kind: "loop", items, detail }, wakeAt: undefined };
}

/** Asks the model for a summary, once for all calls of a turn. Children with `context: summary` start with this summary. */
export function requestBriefing(view: RunView, facts: DecisionFacts): Action | undefined {
  const { state } = view;
  const wanted = [...state.calls.values()].some(
    (call) => !call.result && call.proposal?.context === "summary",
  );
  if (!wanted || hardLimit(state) || (state.brief?.seq ?? 0) > (state.latest?.seq ?? 0)) return undefined;
  return afterFailure(view, facts) ?? callModel(view, "brief");
}

export const tellAgent = (id: string, text: string): Action => ({
  type: "record",
  events: [systemNote(id, text)],
});

export const endRun = (ending: Ending): Action => ({ type: "end", ending });

function missingReport(state: RunState, limit?: Parameters<typeof describeLimit>[0]): string {
  const why = limit ? describeLimit(limit) : "the agent gave no answer";
  const last = state.latest?.text.trim();
  return `The run ended without a report of its own after ${plural(state.turns, "turn")}: ${why}.${last ? ` Its last words: ${last}` : ""}`;
}

function adviceFor({
  cause,
  rejection,
}: Pick<NonNullable<RunState["failedCall"]>, "cause" | "rejection">): string {
  if (cause === "auth")
    return "Check the provider's API key and account, then try the run again: it goes on from here.";
  if (cause === "output_cap")
    return "Raise `maxOutputTokens` of the agent, or ask for smaller pieces, then try the run again: it goes on from here.";
  if (cause === "refused")
    return "Nothing is lost: reword the task, or choose another model, in a fork of this run (`cadre fork`).";
  if (rejection === "quota")
    return "Nothing is lost: fill up the account at the provider, then try the run again, and it goes on from here.";
  if (cause === "too_long")
    return "Nothing is lost, but even the shortest form of this conversation is too long for the model: choose one with a larger context, or a smaller task, in a fork of this run (`cadre fork`).";
  if (cause === "rejected")
    return "Nothing is lost, but the provider refuses this request as it is, and would again: correct what it names, such as the model, in a fork of this run (`cadre fork`).";
  return "Nothing is lost: try the run again when the provider answers, and it goes on from here. `patience` in cadre.yaml says how long a run waits by itself.";
}
