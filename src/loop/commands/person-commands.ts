// The commands that people give to a run: decide, ask, pause, resume, cancel. Each command is checked against the run's state.
// If the run changes during the check, the command is checked again. Only one decision per item is recorded (P5).

import type { ExpandedText } from "../../agents/skills/expand-slash-command.ts";
import { CadreError } from "../../errors.ts";
import { approvalId, parseApprovalId, type RunId } from "../../ids.ts";
import { type EventBody, type Payload, payloadProblem } from "../../journal/events.ts";
import type { FindFacts } from "../../journal/tool-facts.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GrantFor } from "../../permissions/permission.ts";
import { type ApprovalItem, attemptIdOf, openItems } from "../../projections/folds/approvals.ts";
import type { RunState, ToolCall } from "../../projections/folds/run-state.ts";
import { loopItemId, MERGE_CALL } from "../../projections/folds/tool-call.ts";
import type { Append } from "../../stores/store.ts";
import type { Preview } from "../../tools/tool.ts";
import { currentRunState } from "../drive/run-state-cache.ts";
import type { LoopParts } from "../parts.ts";
import { checkEdit } from "./check-edit.ts";
import { type Decision, decisionEvent } from "./decision-event.ts";

export type { Decision } from "./decision-event.ts";

export interface CommandParts
  extends Pick<
    LoopParts,
    | "store"
    | "ids"
    | "clock"
    | "digest"
    | "files"
    | "mask"
    | "tools"
    | "judge"
    | "judgeShell"
    | "authority"
    | "host"
    | "checkPrices"
  > {
  grantFor: GrantFor;
  toolFacts: FindFacts;
  /** Replaces `/name arguments` with the text of the command or skill. Returns other texts unchanged. */
  expandCommand(text: string): Promise<ExpandedText>;
  wake(runId: RunId): Promise<void>;
}

export async function findOpenItem(
  id: string,
  { store }: Pick<CommandParts, "store">,
): Promise<{ item: ApprovalItem; state: RunState }> {
  const { runId, itemId } = parseApprovalId(id) ?? notFound(id);
  const state = await currentRunState(store, runId);
  const item = openItems(state).find((open) => open.itemId === itemId);
  return item ? { item, state } : notFound(id);
}

const TRIES = 50;

export async function decideApproval(
  id: string,
  given: Decision,
  by: string,
  parts: CommandParts,
): Promise<{ alreadyDecided: boolean }> {
  // The decision is masked as in the journal, so that a repeated decision is recognised.
  const decision = parts.mask.value(given);
  const { runId, itemId } = parseApprovalId(id) ?? notFound(id);
  return signalRun<{ alreadyDecided: boolean }>(runId, parts, async (state) => {
    const before = state.decisions.get(itemId);
    requireLatestRound(state, itemId);
    requireKnownOutcome(state, itemId);
    if (before) return { done: confirmSameDecision(before, decision) };
    const item = openItems(state).find((open) => open.itemId === itemId);
    if (!item) return notOpen(state, id, itemId);
    const problem = decisionProblem(item, decision);
    if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was decided.`);
    const edited =
      decision.decision === "edit" ? await checkEdit(item, decision.input, state, parts) : undefined;
    const concerns = decision.decision === "reject" ? undefined : (edited ?? item.protected);
    const event = decisionEvent(item, { ...decision, by, concerns }, state, parts);
    return { events: [event], done: { alreadyDecided: false } };
  });
}

export type OutcomeVerdict = Pick<Payload<"OUTCOME_DECIDED">, "verdict" | "output" | "note">;

/** Records a person's statement about an attempt (`m3.0`, `m3.0~2`) whose outcome was lost in a crash. */
export async function decideOutcome(
  runId: RunId,
  attemptId: string,
  given: OutcomeVerdict,
  by: string,
  parts: CommandParts,
): Promise<{ alreadyDecided: boolean }> {
  const verdict = parts.mask.value(given);
  return signalRun(runId, parts, (state) => outcomeCommand(state, attemptId, verdict, by));
}

/**
 * Records one statement about several attempts of the same tree. `alsoFor` names the other open items that the person has seen.
 * Every attempt is checked before the first statement is recorded. If the process dies in between, the same request completes the rest.
 */
export async function decideOutcomes(
  runId: RunId,
  attemptId: string,
  { alsoFor = [], ...given }: OutcomeVerdict & { alsoFor?: readonly string[] | undefined },
  by: string,
  parts: CommandParts,
): Promise<{ alreadyDecided: boolean }> {
  if (alsoFor.length > 0 && given.output !== undefined) {
    throw new CadreError(
      "BAD_REQUEST",
      "One output cannot be the result of several calls: send the text as `note`. Nothing was decided.",
    );
  }
  const others = await Promise.all(alsoFor.map((id) => attemptInTree(id, runId, parts)));
  const verdict = parts.mask.value(given);
  for (const other of others)
    outcomeCommand(await currentRunState(parts.store, other.runId), other.attemptId, verdict, by);
  let alreadyDecided = true;
  for (const each of [{ runId, attemptId }, ...others]) {
    const decided = await decideOutcome(each.runId, each.attemptId, given, by, parts);
    alreadyDecided &&= decided.alreadyDecided;
  }
  return { alreadyDecided };
}

/** The attempt of an open item of an unknown outcome. Throws if the item belongs to another tree than the run. */
async function attemptInTree(
  id: string,
  runId: RunId,
  { store }: CommandParts,
): Promise<{ runId: RunId; attemptId: string }> {
  const { runId: owner, itemId } = parseApprovalId(id) ?? notFound(id);
  const [row, ownerRow] = [await store.runs.get(runId), await store.runs.get(owner)];
  const attemptId = attemptIdOf(itemId);
  if (attemptId !== undefined && row && row.rootRunId === ownerRow?.rootRunId)
    return { runId: owner, attemptId };
  throw new CadreError(
    "BAD_REQUEST",
    `${id} is not an unknown outcome of the same tree as run ${runId}. Nothing was decided.`,
  );
}

function outcomeCommand(
  state: RunState,
  attemptId: string,
  verdict: OutcomeVerdict,
  by: string,
): Command<{ alreadyDecided: boolean }> {
  const { callId, number } = attemptOf(attemptId);
  const before = state.calls.get(callId);
  if (before?.verdict && before.attempts === number)
    return { done: confirmSameVerdict(before.verdict, verdict) };
  const { attempts } = requireUnknownOutcome(state, attemptId);
  const payload = { toolCallId: callId, ...(attempts > 1 ? { attempt: attempts } : {}), ...verdict, by };
  return { events: [{ type: "OUTCOME_DECIDED", payload }], done: { alreadyDecided: false } };
}

/** The call whose outcome is unknown. Throws if the given attempt is not the call's latest attempt. */
export function requireUnknownOutcome(state: RunState, attemptId: string): ToolCall {
  const { callId, number } = attemptOf(attemptId);
  const call = state.calls.get(callId);
  const open = openItems(state).find((item) => item.kind === "outcome" && callOf(item.callId!) === callId);
  if (open && call?.attempts !== number) {
    throw new CadreError(
      "STALE",
      `${attemptId} is not the latest attempt: ${open.callId} is. Nothing was changed.`,
    );
  }
  if (open && call) return call;
  requireNotEnded(state);
  throw new CadreError(
    "CONFLICT",
    `The outcome of call ${attemptId} is not in question. Nothing was changed.`,
  );
}

function attemptOf(attemptId: string): { callId: string; number: number } {
  const [, callId = "", number = "1"] = /^(.*?)(?:~(\d+))?$/.exec(attemptId) ?? [];
  return { callId, number: Number(number) };
}

/** P7: cancels a run and its descendants. Runs that have ended are not changed. */
export async function cancelRun(
  runId: RunId,
  by: string,
  reason: string | undefined,
  parts: CommandParts,
): Promise<{ cancelled: RunId[] }> {
  const { endedAt, stopReason, status } = (await parts.store.runs.get(runId)) ?? notFound(runId);
  if (endedAt !== undefined) {
    const how = stopReason === "moved" ? MOVED : `has ended already (${status})`;
    throw new CadreError("RUN_TERMINAL", `Run ${runId} ${how}.`, { status });
  }
  const cancelled = await parts.store.runs.cancel(runId, omitUndefined({ by, reason }));
  await Promise.all(cancelled.map((id) => parts.wake(id)));
  return { cancelled };
}

export async function pauseRun(runId: RunId, by: string, parts: CommandParts): Promise<void> {
  const key = `paused/${parts.ids.nonce()}`;
  await signalRun(runId, parts, (state) => {
    requireNotEnded(state);
    requireNotFrozen(state);
    const waitingOn = { kind: "paused" as const, detail: `Paused by ${by}.` };
    return { events: [{ type: "RUN_SUSPENDED", payload: { waitingOn }, key }], done: undefined };
  });
}

/** Ends a pause or a quarantine. A run that waits for its provider calls the provider again immediately (U45). */
export async function resumeRun(runId: RunId, by: string, parts: CommandParts): Promise<void> {
  const key = `resumed/${parts.ids.nonce()}`;
  await signalRun(runId, parts, (state) => {
    requireNotEnded(state);
    requireNotFrozen(state);
    const kind = state.waitingOn?.kind;
    if (kind !== "paused" && kind !== "quarantine" && kind !== "definition_changed" && kind !== "provider") {
      throw new CadreError("CONFLICT", `Run ${runId} is not paused. Nothing was changed.`);
    }
    const payload = { by, ...(kind === "provider" ? { atOnce: true as const } : {}) };
    return { events: [{ type: "RUN_RESUMED", payload, key }], done: undefined };
  });
}

/** U21: asks a named person about an open item. Everyone else with the right to decide can still decide. */
export async function askPerson(
  id: string,
  { person, note }: { person: string; note?: string },
  by: string,
  parts: CommandParts,
): Promise<void> {
  const { runId, itemId } = parseApprovalId(id) ?? notFound(id);
  const key = `asked/${parts.ids.nonce()}`;
  const payload = parts.mask.value(omitUndefined({ itemId, person, by, note }));
  await signalRun(runId, parts, (state) => {
    const isOpen = openItems(state).some((item) => item.itemId === itemId);
    if (state.decisions.has(itemId))
      throw new CadreError("CONFLICT", `${id} has been decided already. Nobody was asked.`);
    if (!isOpen) return notOpen(state, id, itemId);
    return { events: [{ type: "PERSON_ASKED", payload, key }], done: undefined };
  });
}

interface Command<T> {
  events?: EventBody[];
  done: T;
  /** The amount that the budgets must cover, and the error to throw if they do not. */
  reserve?: NonNullable<Append["reserve"]>;
  refuse?: () => never;
}

/** Checks a command against the run's current state and writes its events. If the run changed meanwhile, the command is checked again. */
export async function signalRun<T>(
  runId: RunId,
  parts: Pick<CommandParts, "store" | "wake">,
  command: (state: RunState) => Command<T> | Promise<Command<T>>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const state = await currentRunState(parts.store, runId);
    const { seq } = state;
    if (seq === 0) notFound(runId);
    const { events, done, reserve, refuse } = await command(state);
    if (!events) return done;
    requireWellFormed(events);
    const { refused } = await parts.store.journal.append({
      runId,
      // `state.seq` cannot be used here, because the cached state might have changed during the check.
      after: seq,
      events,
      guard: "unchanged",
      ...(reserve ? { reserve } : {}),
    });
    if (refused === "budget" || refused === "reserved") refuse?.();
    if (!refused) {
      await parts.wake(runId);
      return done;
    }
  }
  throw new CadreError("CONFLICT", `Run ${runId} is changing too fast. Nothing was changed; try again.`);
}

/** A malformed event would make the run's journal unreadable. Programs without a type checker can pass any value. */
function requireWellFormed(events: readonly EventBody[]): void {
  for (const event of events) {
    const problem = payloadProblem(event);
    if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was changed.`);
  }
}

/** Says why a decision cannot be used for its inbox item. For example, only a budget item accepts new limits. */
function decisionProblem(item: ApprovalItem, { decision, input, answer, limits }: Decision) {
  if (limits !== undefined && item.kind !== "budget")
    return "Only a budget that is used up takes new limits.";
  if (decision === "answer" && item.kind !== "question")
    return "This is not a question: approve or reject it.";
  if (decision === "answer" && answer === undefined) return "The answer is missing: send it as `answer`.";
  if (item.kind === "question" && decision !== "answer" && decision !== "reject")
    return "This is a question: answer it, or reject it.";
  if (answer !== undefined && item.choices && !item.choices.includes(answer))
    return `This is answered with one of: ${item.choices.join(", ")}.`;
  if (decision !== "edit" && input !== undefined)
    return "Only `edit` takes an input: what was shown is what runs.";
  if (decision === "edit" && item.tool === MERGE_CALL)
    return "A merge cannot be edited: approve it or reject it.";
  return decision === "edit" && item.kind !== "tool" ? "Only a tool call can be edited." : undefined;
}

/** F16: refuses a decision on an earlier round of a call. Each round has its own item id, and only the latest one is open. */
function requireLatestRound(state: RunState, itemId: string): void {
  const newer = openItems(state).find(
    (item) => item.kind === "tool" && item.callId === callOf(itemId) && item.itemId !== itemId,
  );
  if (!newer) return;
  throw new CadreError(
    "STALE",
    "What this call rests on has changed since it was shown. Nothing was run: look at the new approval.",
    { approvalId: approvalId(state.runId, newer.itemId) },
  );
}

/** P4: refuses to approve a call that was started. An approval does not say whether the call took effect. */
function requireKnownOutcome(state: RunState, itemId: string): void {
  const item = openItems(state).find(
    ({ kind, callId, ...open }) =>
      kind === "outcome" && (open.itemId === itemId || callOf(callId!) === callOf(itemId)),
  );
  if (!item) return;
  const { runId, callId, tool } = item;
  const say = `cadre outcome ${runId} ${callId} happened|run_again|fail`;
  throw new CadreError(
    "OUTCOME_UNKNOWN",
    `${tool} was started, and it is not known whether it was done: approving it again changes nothing. Say what became of it: ${say}`,
    { approvalId: item.id, runId, callId, verdicts: ["happened", "run_again", "fail"] },
  );
}

function notOpen(state: RunState, id: string, itemId: string): never {
  const asked = state.calls.get(callOf(itemId))?.proposal?.verdict === "ask";
  const stopped = Array.from({ length: state.guard.stops }, (_, index) => loopItemId(index + 1));
  const budgets = Array.from(state.reachedLimits.values(), (reached) => reached.itemId);
  const isQuestion = itemId.startsWith("question/");
  if (asked || isQuestion || [...stopped, ...budgets].includes(itemId)) requireNotEnded(state);
  return notFound(id);
}

const callOf = (itemId: string): string => itemId.replace(/~\d+$/, "");

function notFound(id: string): never {
  throw new CadreError(
    "NOT_FOUND",
    `There is nothing with the id ${id}. \`cadre approve\` lists what is open, \`cadre runs\` the runs.`,
  );
}

type Decided = Payload<"APPROVAL_DECIDED"> & { ts: number };

/**
 * Accepts a repeated decision: the first response might have been lost, or two people agree.
 * A different decision is refused. The error contains the name, time and content of the first decision.
 * A repeated decision without the note or the expiry is still the same decision.
 */
function confirmSameDecision(before: Decided, decision: Decision): { alreadyDecided: true } {
  const same =
    before.decision === decision.decision &&
    before.answer === decision.answer &&
    isSameOrAbsent(before.note, decision.note) &&
    isSameOrAbsent(before.messageId, decision.messageId) &&
    isSameOrAbsent(before.until, decision.until) &&
    hasSameScope(before, decision) &&
    JSON.stringify(before.input) === JSON.stringify(decision.input);
  if (same) return { alreadyDecided: true };
  const { answer, scope = "once" } = before;
  const details = { ...(canBeGrant(before) ? { scope } : {}), ...omitUndefined({ answer }) };
  throw alreadyDecidedError(before, describeDecision(before), before.decision, details);
}

function confirmSameVerdict(
  before: Payload<"OUTCOME_DECIDED"> & { ts: number },
  { verdict, output, note }: OutcomeVerdict,
): { alreadyDecided: true } {
  const same = before.verdict === verdict && before.output === output && isSameOrAbsent(before.note, note);
  if (same) return { alreadyDecided: true };
  throw alreadyDecidedError(before, before.verdict, before.verdict);
}

const isSameOrAbsent = <T>(before: T | undefined, now: T | undefined): boolean =>
  now === undefined || before === now;

/** Compares the scopes of two decisions. If a decision raises a budget, its scope is fixed, so the scope in the request is ignored. */
function hasSameScope(before: Decided, { scope = "once", limits }: Decision): boolean {
  const isSameLimit =
    before.limits?.maxTokens === limits?.maxTokens && before.limits?.maxCost === limits?.maxCost;
  return isSameLimit && (limits !== undefined || (before.scope ?? "once") === scope);
}

const canBeGrant = ({ decision }: Decided): boolean => decision === "approve" || decision === "edit";

function describeDecision(before: Decided): string {
  const { decision, answer, scope = "once", limits = {} } = before;
  if (answer !== undefined) return `answer ${JSON.stringify(answer)}`;
  if (!canBeGrant(before)) return decision;
  return [`${decision} ${scope}`, ...Object.entries(limits).map((limit) => limit.join(" "))].join(", ");
}

const alreadyDecidedError = (
  { by, ts }: { by: string; ts: number },
  what: string,
  decision: string,
  more: object = {},
): CadreError =>
  new CadreError(
    "ALREADY_DECIDED",
    `${by} has decided already (${what}, ${new Date(ts).toISOString()}). Your decision was not recorded.`,
    { by, at: ts, decision, ...more },
  );

/** Refuses to pause or resume a single run in a frozen branch. */
function requireNotFrozen({ runId, waitingOn }: RunState): void {
  const [top] = waitingOn?.frozen ?? [];
  if (top === undefined) return;
  const branch = top === runId ? "" : ` with the branch of ${top}`;
  throw new CadreError(
    "CONFLICT",
    `Run ${runId} is frozen${branch}: \`cadre thaw ${top}\` lets it go on. Nothing was changed.`,
  );
}

export function requireNotEnded(state: RunState): void {
  if (!state.end && !state.cancel) return;
  const ended = state.end?.stopReason === "moved" ? MOVED : `has ended (${state.end?.status})`;
  const how = state.end ? ended : "is being cancelled";
  throw new CadreError("RUN_TERMINAL", `Run ${state.runId} ${how}. Nothing was changed.`);
}

const MOVED = "was moved to another store and goes on there";

interface EditedCallPreview {
  item: ApprovalItem;
  workspace: string;
  /** Why the decision would be refused. */
  refused: CadreError | undefined;
  preview: Preview | undefined;
}

/** Checks and previews an edited call exactly as a real decision would. Decides and records nothing. */
export async function previewEdit(
  id: string,
  input: unknown,
  parts: CommandParts,
): Promise<EditedCallPreview> {
  const { item, state } = await findOpenItem(id, parts);
  if (item.kind !== "tool") throw new CadreError("BAD_REQUEST", "Only a tool call can be edited.");
  const { workspace } = state.start!;
  const refused = await checkEdit(item, input, state, parts).then(() => undefined, refusal);
  const tool = parts.tools.get(item.tool!);
  const preview = refused ? undefined : await tool?.preview?.(input, { workspace });
  return { item, workspace, refused, preview };
}

function refusal(error: unknown): CadreError {
  if (error instanceof CadreError && error.code === "UNPROCESSABLE") return error;
  throw error;
}
