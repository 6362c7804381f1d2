// The calls of an agent: tool calls from the request to the result, the open model call, and the count of repeated calls.

import { type Digest, toolCallId } from "../../ids.ts";
import type { EventOf, Payload, Purpose } from "../../journal/events.ts";
import type { ToolCallPart } from "../../journal/message.ts";

/** The tool with which an agent ends its run. */
export const FINAL_REPORT = "final_report";
/** The tools of a team: send a message to all members, end one's own turn with a vote, end the discussion. */
export const BROADCAST = "broadcast";
export const VOTE_CONCLUDE = "vote_conclude";
export const CONCLUDE_TEAM = "conclude_team";
/** A prompt to an external program. It is recorded as a call, because its outcome can become unknown. */
export const PROMPT = "prompt";
/** The tool with which an agent delegates work to another agent. */
export const DELEGATE = "delegate";
export const BASH = "Bash";
/** The tool with which an agent loads a skill. */
export const SKILL = "Skill";
/** The tool with which an agent asks a person. */
export const ASK_USER = "AskUser";

/** The merge of a worktree, as people see it in the inbox and in the timeline. It is not a tool that a model can call. */
export const MERGE_CALL = "Merge";

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** The model's original text, if its input was not valid JSON. */
  invalid: string | undefined;
  /** True if the agent's module made the call, not the model. */
  isStep: boolean;
  proposal: (Payload<"TOOL_PROPOSED"> & { seq: number; ts: number }) | undefined;
  /** The person's edit that ended an earlier approval round. The edited input replaced the call's input. */
  edit: Payload<"APPROVAL_DECIDED"> | undefined;
  /** The person's decision in the current approval round. */
  decision: (Payload<"APPROVAL_DECIDED"> & { ts: number }) | undefined;
  /** Number of attempts that were started. */
  attempts: number;
  started: (Payload<"TOOL_STARTED"> & { ts: number }) | undefined;
  /** A person's verdict on the latest attempt. */
  verdict: (Payload<"OUTCOME_DECIDED"> & { ts: number }) | undefined;
  /** The statement that made an interrupted call run again. */
  repeatedBy: Payload<"OUTCOME_DECIDED"> | undefined;
  /** The finding of the latest probe, on this attempt or an earlier one. */
  probe: (Payload<"OUTCOME_PROBED"> & { ts: number }) | undefined;
  result:
    | { outcome: NonNullable<Payload<"TOOL_RESULT">["outcome"]>; output: unknown; seq: number; ts: number }
    | undefined;
}

export function newCall(
  id: string,
  { toolName, input, invalid }: Pick<ToolCallPart, "toolName" | "input" | "invalid">,
): ToolCall {
  return {
    id,
    name: toolName,
    input,
    invalid,
    isStep: false,
    proposal: undefined,
    edit: undefined,
    decision: undefined,
    attempts: 0,
    started: undefined,
    verdict: undefined,
    repeatedBy: undefined,
    probe: undefined,
    result: undefined,
  };
}

/** The calls of one model answer, by id and in order. */
export const newCalls = (callId: string, parts: readonly ToolCallPart[]): Map<string, ToolCall> =>
  new Map(
    parts.map((part, index) => {
      const id = toolCallId(callId, index);
      return [id, newCall(id, part)];
    }),
  );

/** A call made by the agent's module. Its first event is its TOOL_PROPOSED. */
export const newStepCall = (id: string, toolName: string, input: unknown): ToolCall => ({
  ...newCall(id, { toolName, input, invalid: undefined }),
  isStep: true,
});

/** The inbox item of a call. Each round has its own id, so that an answer to an old round cannot decide a new one. */
export const itemIdOf = (call: ToolCall): string => roundId(call.id, call.proposal?.round);

export interface Question {
  question: string;
  choices?: string[];
  why?: string;
}

/** The question of an AskUser call. Its input was validated before the call was proposed. Undefined for other calls. */
export const questionOf = ({ proposal, input }: ToolCall): Question | undefined =>
  proposal?.name === ASK_USER ? (input as Question) : undefined;

/** The input with which the call runs: the model's input, or the input as a person edited it. */
export const effectiveInput = (call: ToolCall): unknown =>
  call.decision?.decision === "edit" ? call.decision.input : call.input;

/** P4: whether the call may run again after a crash, without a person's decision. */
export const mayRepeat = ({ proposal }: ToolCall): boolean =>
  proposal?.effect !== "unsafe" || proposal.afterCrash !== undefined;

/** The person's edit of a call's input. Undefined if no person edited it. */
export const editOf = ({ decision, edit }: ToolCall): Payload<"APPROVAL_DECIDED"> | undefined =>
  decision?.decision === "edit" ? decision : edit;

/** Tells the model that a person changed the input of its call, and which input ran. Undefined if no person changed it. */
export function describeEdit(call: ToolCall): string | undefined {
  const edit = editOf(call);
  if (!edit) return undefined;
  const note = edit.note ? ` (${edit.note})` : "";
  return `${edit.by} changed the input before it ran${note}. What ran: ${JSON.stringify(edit.input)}`;
}

/** Tells the model why a person let an interrupted call run again. Undefined if no person gave a reason. */
export function describeRepeat({ repeatedBy }: ToolCall): string | undefined {
  if (!repeatedBy?.note || repeatedBy.by === "cadre") return undefined;
  return `${repeatedBy.by} had this run again after a crash: ${repeatedBy.note}`;
}

export const isApproved = ({ decision }: ToolCall): boolean =>
  decision?.decision === "approve" || decision?.decision === "edit";

/** P5: hash of a call's name and input. It proves that the started call is the one a person approved. */
export const callReceipt = (digest: Digest, name: string, input: unknown): string =>
  digest(JSON.stringify([name, input ?? null]));

/** The receipt field for the event that starts a call. Empty if no person approved the call. */
export const receiptField = (call: ToolCall, { digest }: { digest: Digest }): { receipt?: string } =>
  isApproved(call) ? { receipt: callReceipt(digest, call.name, effectiveInput(call)) } : {};

/** The id of the inbox item for one approval round of a call. */
export const roundId = (callId: string, round = 1): string => (round === 1 ? callId : `${callId}~${round}`);

/** The id of the call that an inbox item is about. */
export const callOfItem = (itemId: string): string => itemId.replace(/~\d+$/, "");

export interface OpenModelCall {
  callId: string;
  attempt: number;
  /** Number of consecutive attempts with this model. After a fallback to the next model, the number starts again at 1. */
  tries: number;
  /** How many earlier attempts with this model may have been paid for, although they failed. */
  paidTries: number;
  /** Why the previous attempt failed, if it used the same model. */
  failedBy: Payload<"MODEL_CALL_FAILED">["cause"] | undefined;
  model: string;
  purpose: Purpose;
  ts: number;
  estimate: Payload<"MODEL_CALL_STARTED">["estimate"];
  lastTurn: Payload<"MODEL_CALL_STARTED">["lastTurn"];
}

/**
 * Whether a failed attempt is treated as paid for. An attempt whose connection broke before the answer began is not.
 * The cost of such an attempt is still estimated, but the provider is unreachable, and the run waits as in every outage.
 */
export const isPaidTry = ({ usage, cause }: Pick<Payload<"MODEL_CALL_FAILED">, "usage" | "cause">): boolean =>
  usage !== undefined && (cause !== "network" || usage.output > 0);

/** Opens a model call. `before` is the latest call, if the latest attempt of that call failed. */
export function newModelCall(
  { ts, payload }: EventOf<"MODEL_CALL_STARTED">,
  before:
    | (Pick<OpenModelCall, "model" | "tries" | "paidTries"> & Pick<Payload<"MODEL_CALL_FAILED">, "cause">)
    | undefined,
): OpenModelCall {
  const { callId, attempt = 1, model, purpose = "turn", estimate, lastTurn } = payload;
  const earlier =
    attempt > 1 && before?.model === model ? before : { tries: 0, paidTries: 0, cause: undefined };
  const { tries, paidTries, cause: failedBy } = earlier;
  return { callId, attempt, tries: tries + 1, paidTries, failedBy, model, purpose, ts, estimate, lastTurn };
}

export function recordProbe(
  calls: ReadonlyMap<string, ToolCall>,
  { payload, ts }: EventOf<"OUTCOME_PROBED">,
): void {
  const call = calls.get(payload.toolCallId);
  if (call) call.probe = { ...payload, ts };
}

export function recordVerdict(
  calls: ReadonlyMap<string, ToolCall>,
  { payload, ts }: EventOf<"OUTCOME_DECIDED">,
): void {
  const call = calls.get(payload.toolCallId);
  if (call && (payload.attempt ?? 1) === call.attempts) call.verdict = { ...payload, ts };
}

export type CallOutcome = NonNullable<Payload<"TOOL_RESULT">["outcome"]> | "stopped";

/** How a call ended. A call that fails after a cancel request (`cancelSeq`) was stopped. */
export function callOutcome({ seq, payload }: EventOf<"TOOL_RESULT">, cancelSeq = Infinity): CallOutcome {
  if (payload.outcome !== undefined) return payload.outcome;
  if (!payload.isError) return "ok";
  return seq > cancelSeq ? "stopped" : "error";
}

/** Counts an agent's repetitions (F43, F45), so that a person is asked before a loop wastes money. */
export interface LoopGuard {
  /** The turn before the latest one. */
  previous: RepeatedTurn | undefined;
  /** How many calls in a row were refused, how many answers in a row were empty, and how many final reports did not match the schema. */
  refused: number;
  empty: number;
  badReports: number;
  /** Why the latest final report was refused. */
  badReport?: string;
  /** How often the run was stopped to ask a person. */
  stops: number;
}

export const emptyGuard = (): LoopGuard => ({
  previous: undefined,
  refused: 0,
  empty: 0,
  badReports: 0,
  stops: 0,
});

export interface RepeatedTurn {
  /** All calls of the turn and their results as one text, for comparison. */
  signature: string;
  /** Number of turns in a row with this signature. Turns that waited are counted in `waits` instead. */
  repeats: number;
  waits: number;
}

/** A turn whose calls take at least this long waits for something, such as a build. */
const WAIT_MS = 5_000;

/**
 * Counts the latest turn. It repeats the one before it only if its calls and all their results are the same:
 * a different result is progress. `since` is the time of the model's answer.
 */
export function countRepeats(
  { previous }: LoopGuard,
  calls: ReadonlyMap<string, ToolCall>,
  since: number,
): RepeatedTurn {
  const made = [...calls.values()].filter(({ isStep }) => !isStep);
  const signature = made.length === 0 ? "" : JSON.stringify(made.map(callSignature));
  const isSame = signature !== "" && signature === previous?.signature;
  const before = isSame ? previous : { repeats: 0, waits: 0 };
  const end = Math.max(since, ...made.map(({ result }) => result?.ts ?? since));
  const hasWaited = end - since >= WAIT_MS;
  return {
    signature,
    repeats: before.repeats + (hasWaited ? 0 : 1),
    waits: before.waits + (hasWaited ? 1 : 0),
  };
}

function callSignature({ name, input, result }: ToolCall): unknown[] {
  return [name, input, result?.outcome, comparable(result?.output)];
}

/** The line after a command's output: how the command ended, and how long it took. */
export const commandEnd = (how: string, seconds: number): string => `[${how}, ${seconds.toFixed(1)} s]`;

const DURATION = /, \d+\.\d s\](?=\n|$)/;

/** The part of a result that can be compared. Durations, and a child's run id, are never the same, although nothing has changed. */
function comparable(output: unknown): unknown {
  if (typeof output === "string") return output.replace(DURATION, "]");
  if (typeof output !== "object" || output === null || !("child_run_id" in output)) return output;
  const { status, summary, details } = output as Record<string, unknown>;
  return [status, summary, details];
}

/** The inbox item of the n-th stop for a repetition. */
export const loopItemId = (stop: number): string => `loop/${stop}`;
