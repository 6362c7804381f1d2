// The calls of an agent: a tool's from the thought that made it to its one result, its model's while it is under way.

import { type Digest, toolCallId } from "../../ids.ts";
import type { EventOf, Payload, Purpose } from "../../journal/events.ts";
import { callReceipt } from "../../journal/hash.ts";
import type { ToolCallPart } from "../../journal/message.ts";

/** The call by which an agent ends its run. */
export const FINAL_REPORT = "final_report";
/** The calls by which agents work as a team: say something to all, end one's turn, end the discussion. */
export const BROADCAST = "broadcast";
export const VOTE_CONCLUDE = "vote_conclude";
export const CONCLUDE_TEAM = "conclude_team";
/** A whole prompt to a program, as a call whose outcome nobody knows. */
export const PROMPT = "prompt";
/** The call by which an agent gives work to another. */
export const DELEGATE = "delegate";
/** The call by which an agent asks a person. */
export const ASK_USER = "AskUser";

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** The model's text where its input was no JSON. */
  invalid: string | undefined;
  /** Made by the agent's steps, not by its model. */
  isStep: boolean;
  proposal: (Payload<"TOOL_PROPOSED"> & { seq: number; ts: number }) | undefined;
  /** The edit that an earlier round ended with: its input is the call's since. */
  edit: Payload<"APPROVAL_DECIDED"> | undefined;
  /** The decision on the current round of its approval. */
  decision: (Payload<"APPROVAL_DECIDED"> & { ts: number }) | undefined;
  /** Attempts that were started; 0 for none. */
  attempts: number;
  started: (Payload<"TOOL_STARTED"> & { ts: number }) | undefined;
  /** A person's word on what became of the latest attempt. */
  verdict: (Payload<"OUTCOME_DECIDED"> & { ts: number }) | undefined;
  /** What the latest probe found, of this attempt or one before. */
  probe: (Payload<"OUTCOME_PROBED"> & { ts: number }) | undefined;
  result:
    | { outcome: NonNullable<Payload<"TOOL_RESULT">["outcome"]>; output: unknown; seq: number }
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
    probe: undefined,
    result: undefined,
  };
}

/** Those of one thought, by id, in their order. */
export const newCalls = (callId: string, parts: readonly ToolCallPart[]): Map<string, ToolCall> =>
  new Map(
    parts.map((part, index) => {
      const id = toolCallId(callId, index);
      return [id, newCall(id, part)];
    }),
  );

/** A call that the agent's steps make: it exists since it was judged. */
export const newStepCall = (id: string, toolName: string, input: unknown): ToolCall => ({
  ...newCall(id, { toolName, input, invalid: undefined }),
  isStep: true,
});

/** The id under which a person decides on a call; a later round is another item, so an old answer cannot reach it. */
export const itemIdOf = (call: ToolCall): string => roundId(call.id, call.proposal?.round ?? 1);

export interface Question {
  question: string;
  choices?: string[];
  why?: string;
}

/** Undefined: it is another call. Only what fits is ever proposed. */
export const questionOf = ({ proposal, input }: ToolCall): Question | undefined =>
  proposal?.name === ASK_USER ? (input as Question) : undefined;

/** What runs: what the model wrote, or what a person made of it. */
export const effectiveInput = (call: ToolCall): unknown =>
  call.decision?.decision === "edit" ? call.decision.input : call.input;

export const isApproved = ({ decision }: ToolCall): boolean =>
  decision?.decision === "approve" || decision?.decision === "edit";

/** What an intent says of the call that it begins; nothing where nobody was asked. */
export const receiptField = (call: ToolCall, { digest }: { digest: Digest }): { receipt?: string } =>
  isApproved(call) ? { receipt: callReceipt(digest, call.name, effectiveInput(call)) } : {};

const roundId = (id: string, round: number): string => (round === 1 ? id : `${id}~${round}`);

export interface OpenModelCall {
  callId: string;
  attempt: number;
  /** Attempts in a row at this call by this model: the next of the chain begins anew. */
  tries: number;
  model: string;
  purpose: Purpose;
  ts: number;
  estimate: Payload<"MODEL_CALL_STARTED">["estimate"];
}

/** `before`: the latest call, if its last attempt failed. */
export function newModelCall(
  { ts, payload }: EventOf<"MODEL_CALL_STARTED">,
  before: Pick<OpenModelCall, "model" | "tries"> | undefined,
): OpenModelCall {
  const { callId, attempt = 1, model, purpose = "turn", estimate } = payload;
  const tries = attempt > 1 && before?.model === model ? before.tries + 1 : 1;
  return { callId, attempt, tries, model, purpose, ts, estimate };
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
