// The items of a run that wait for a person: calls to approve, questions, unknown outcomes, budgets and loops.
// People see all these items in one list and answer them the same way.

import { approvalId } from "../../ids.ts";
import type { BlastRadius } from "../../journal/blast-radius.ts";
import type {
  EventOf,
  EventType,
  JournalEvent,
  Payload,
  RuleBasis,
  WaitingOn,
} from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { latestChildFor } from "./child-runs.ts";
import type { RunRow } from "./run-row.ts";
import { askedMerges, itemIdOf, type RunState, type ToolCall } from "./run-state.ts";
import {
  ASK_USER,
  DELEGATE,
  editOf,
  effectiveInput,
  mayRepeat,
  type Question,
  questionOf,
  roundId,
} from "./tool-call.ts";

export const APPROVAL_KINDS = ["tool", "question", "outcome", "budget", "loop"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export interface ApprovalItem {
  id: string;
  itemId: string;
  kind: ApprovalKind;
  runId: string;
  rootRunId: string;
  agent: string;
  /** Id of the call. For an unknown outcome, id of the attempt (`m3.0~2`). */
  callId?: string;
  tool?: string;
  /** The input with which a call with an unknown outcome ran. */
  input?: unknown;
  /** The person who changed the input of a call with an unknown outcome before the call ran. */
  editedBy?: string;
  preview?: string;
  /** The rule that requires approval, its basis, and why a shell command could not be judged. */
  rule?: string;
  basis?: RuleBasis;
  unjudged?: string;
  /** A protected file that the call concerns. On a server with users, only an admin approves the call. */
  protected?: string;
  hash?: string;
  /** Fingerprint of the affected file when the preview was made. */
  fingerprint?: string;
  /** Machine and process that started a call with an unknown outcome. */
  host?: string;
  pid?: number;
  /** The finding of the latest probe. */
  probe?: { found: Payload<"OUTCOME_PROBED">["found"]; evidence: string[]; by: string; at: number };
  detail?: string;
  /** The used-up limit of a budget item, and its value. `tree.maxTokens` is the limit of the whole tree. */
  limit?: string;
  limitValue?: number;
  /** If the item is a question: the answers that the person can choose from. */
  choices?: string[];
  /** The untrusted sources whose text had already entered the run. */
  untrusted?: string[];
  /** The abilities of the agents that a delegation or route would start, at the time when the person was asked. */
  blastRadius?: BlastRadius;
  /** The last person who was asked by name. */
  asked?: { person: string; by: string; note?: string; at: number };
  round: number;
  requestedAt: number;
  expiresAt?: number;
}

/** The open items of a run, in the order of their calls. */
export function openItems(state: RunState): ApprovalItem[] {
  if (!state.start || state.end || state.cancel) return [];
  const items = [...askedMerges(state), ...state.calls.values()].flatMap((call) => callItem(state, call));
  const waiting = state.waitingOn;
  if (waiting?.kind !== "budget" && waiting?.kind !== "loop" && waiting?.kind !== "question") return items;
  const { kind, detail, choices, until } = waiting;
  for (const itemId of waiting.items ?? []) {
    if (state.decisions.has(itemId) || state.calls.has(itemId)) continue;
    const reached = state.reachedLimits.get(`limit/${itemId}`);
    items.push({
      ...commonFields(state, itemId),
      kind,
      round: 1,
      requestedAt: state.updatedAt,
      ...omitUndefined({
        limit: reached?.limit,
        limitValue: reached?.value,
        detail,
        choices,
        expiresAt: until,
      }),
    });
  }
  return items;
}

/** True if an unsafe call was started but has neither a result nor a person's verdict. */
export function isOutcomeUnknown(call: ToolCall): boolean {
  return call.started !== undefined && !call.result && !call.verdict && !mayRepeat(call);
}

/** Whether a call needs a person's decision before it can start. */
export function awaitsDecision(call: ToolCall): boolean {
  return call.proposal?.verdict === "ask" && !call.decision && !call.started && !call.result;
}

/** A change to the store's list of open items. */
export type ItemChange =
  | { type: "open"; itemId: string; kind: ApprovalKind; expiresAt: number | undefined }
  | { type: "close"; itemId: string }
  | { type: "close-all" };

/** Kinds of waits that open a separate item. The item of a tool call is opened by the call's TOOL_PROPOSED event. */
const OPENED_BY: Partial<Record<WaitingOn["kind"], ApprovalKind>> = {
  outcome_unknown: "outcome",
  budget: "budget",
  loop: "loop",
  question: "question",
};

const CHANGES: { [Type in EventType]?: (event: EventOf<Type>) => ItemChange[] } = {
  TOOL_PROPOSED: ({ payload: { toolCallId, name, round = 1, verdict, expiresAt } }) => {
    const kind = name === ASK_USER ? "question" : "tool";
    // A merge is asked about again without a decision on the earlier round, if its run has gone on.
    const before: ItemChange[] = round > 1 ? [{ type: "close", itemId: roundId(toolCallId, round - 1) }] : [];
    if (verdict !== "ask") return before;
    return [...before, { type: "open", itemId: roundId(toolCallId, round), kind, expiresAt }];
  },
  RUN_SUSPENDED: ({ payload: { waitingOn } }) => {
    const { kind, items = [], until } = waitingOn;
    const opens = OPENED_BY[kind];
    return opens ? items.map((itemId) => ({ type: "open", itemId, kind: opens, expiresAt: until })) : [];
  },
  APPROVAL_DECIDED: ({ payload }) => [{ type: "close", itemId: payload.itemId }],
  OUTCOME_DECIDED: ({ payload }) => [
    { type: "close", itemId: outcomeItemId(payload.toolCallId, payload.attempt) },
  ],
  TOOL_RESULT: ({ payload }) => [
    { type: "close", itemId: payload.toolCallId },
    { type: "close", itemId: outcomeItemId(payload.toolCallId, payload.attempt) },
  ],
  CANCEL_REQUESTED: () => [{ type: "close-all" }],
  RUN_COMPLETED: () => [{ type: "close-all" }],
  RUN_FAILED: () => [{ type: "close-all" }],
  RUN_CANCELLED: () => [{ type: "close-all" }],
  RUN_MOVED: () => [{ type: "close-all" }],
};

/** Event types that open or close an inbox item. */
export const INBOX_TYPES: ReadonlySet<EventType> = new Set(Object.keys(CHANGES) as EventType[]);

export function itemChanges(event: JournalEvent): ItemChange[] {
  const change = CHANGES[event.type] as ((event: JournalEvent) => ItemChange[]) | undefined;
  return change?.(event) ?? [];
}

/** The item for an unknown outcome. Its id differs from the id of the call's approval item, so that the answers to these two items cannot be confused. */
export const outcomeItemId = (callId: string, attempt = 1): string => `outcome/${attemptId(callId, attempt)}`;

/** The attempt (`m3.0~2`) whose outcome an item asks for. Undefined if the item is of another kind. */
export const attemptIdOf = (itemId: string): string | undefined =>
  itemId.startsWith("outcome/") ? itemId.slice("outcome/".length) : undefined;

/** The id of an attempt. Each attempt has its own id, so a verdict on the first attempt cannot apply to the second. */
const attemptId = (callId: string, attempt: number): string =>
  attempt > 1 ? `${callId}~${attempt}` : callId;

/** Whether a driver has asked a person about the outcome of this call. This is not the case while the call is still running. */
function isPutToPerson({ waitingOn }: RunState, call: ToolCall): boolean {
  return (
    waitingOn?.kind === "outcome_unknown" &&
    (waitingOn.items ?? []).includes(outcomeItemId(call.id, call.attempts))
  );
}

function callItem(state: RunState, call: ToolCall): ApprovalItem[] {
  const proposal = call.proposal;
  if (!proposal) return [];
  const common = { callId: call.id, tool: call.name, input: call.input, round: proposal.round ?? 1 };
  if (isOutcomeUnknown(call)) {
    if (!isPutToPerson(state, call)) return [];
    const { host, pid, ts } = call.started!;
    const where = omitUndefined({ host, pid });
    const callId = attemptId(call.id, call.attempts);
    const ran = { input: effectiveInput(call), ...omitUndefined({ editedBy: editOf(call)?.by }) };
    const item = { ...commonFields(state, outcomeItemId(call.id, call.attempts)), kind: "outcome" as const };
    return [{ ...item, ...common, ...ran, callId, ...where, ...probeField(call), requestedAt: ts }];
  }
  if (!awaitsDecision(call)) return [];
  const { preview, rule, basis, unjudged, hash, fingerprint, expiresAt, untrusted, blastRadius } = proposal;
  const kept = omitUndefined({ protected: proposal.protected });
  const asked = {
    ...commonFields(state, itemIdOf(call)),
    requestedAt: proposal.ts,
    ...omitUndefined({ expiresAt, untrusted }),
  };
  const question = questionOf(call);
  if (question) return [{ ...asked, ...questionItem(call, question) }];
  return [
    {
      ...asked,
      kind: "tool",
      ...common,
      rule,
      ...kept,
      ...omitUndefined({ basis, unjudged, preview, hash, fingerprint, blastRadius }),
    },
  ];
}

function probeField({ probe, attempts }: ToolCall): Pick<ApprovalItem, "probe"> {
  if (!probe || (probe.attempt ?? 1) !== attempts) return {};
  const { found, evidence, by, ts } = probe;
  return { probe: { found, evidence, by, at: ts } };
}

/** The item for an AskUser call. Questions of an agent's module are not calls, but their items have the same form. */
function questionItem({ id, input }: ToolCall, { question, choices }: Question) {
  return {
    kind: "question" as const,
    callId: id,
    input,
    detail: question,
    ...omitUndefined({ choices }),
    round: 1,
  };
}

function commonFields(state: RunState, itemId: string) {
  const { rootRunId, agent } = state.start!;
  const asked = askedPerson(state, itemId);
  return omitUndefined({
    id: approvalId(state.runId, itemId),
    itemId,
    runId: state.runId,
    rootRunId,
    agent,
    asked,
  });
}

function askedPerson({ askedPeople }: RunState, itemId: string): ApprovalItem["asked"] {
  const last = askedPeople.get(itemId);
  if (!last) return undefined;
  const { person, by, note, ts } = last;
  return { person, by, ...omitUndefined({ note }), at: ts };
}

// Finds suspended runs that a person has answered and that only need a driver to continue.
// The row of such a run still says "suspended". A person would see "needs you" and find nothing to answer.

type Answerable = Pick<RunRow, "id" | "status"> & {
  waitingOn?: WaitingOn | undefined;
  cancelRequested?: boolean;
};

/** Lookups about other runs, such as the runs that block a run. */
interface SurroundingRuns {
  hasOpenItem(runId: string): boolean;
  /** The row of a run. Undefined if the run is unknown. */
  run(runId: string): Answerable | undefined;
}

export function isAnswered({ id, status, waitingOn }: Answerable, around: SurroundingRuns): boolean {
  if (status !== "suspended") return false;
  if (waitingOn?.kind === "child_hitl")
    return (waitingOn.blockers ?? []).every((blocker) => isClear(around.run(blocker), around));
  return ANSWERED_BY_ITEMS.has(waitingOn?.kind) && !around.hasOpenItem(id);
}

/** Whether the run no longer waits for any person's decision. */
const isClear = (run: Answerable | undefined, around: SurroundingRuns): boolean =>
  run !== undefined &&
  (run.status !== "suspended" || run.cancelRequested === true || isAnswered(run, around));

/** Kinds of waits that end as soon as the run has no open item. */
export const ANSWERED_BY_ITEMS: ReadonlySet<WaitingOn["kind"] | undefined> = new Set([
  "approval",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
] as const);

/** Number of delegations whose child has not started yet, because the limit on working children is reached. */
export const childrenToStart = ({ calls, children }: RunState): number =>
  [...calls.values()].filter(
    (call) =>
      (call.proposal?.name ?? call.name) === DELEGATE &&
      !call.result &&
      !awaitsDecision(call) &&
      latestChildFor(children, call.id) === undefined,
  ).length;
