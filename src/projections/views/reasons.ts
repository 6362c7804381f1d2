// Explains an event in one line: what happened, and why. Rules, limits and people are named as in the journal.

import type { EventOf, EventType, JournalEvent, Payload, Trigger } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { type PatternTrigger, triggerOf } from "../../patterns/declarations/facts.ts";
import { describeAskReason, describeReceipt } from "../words/decisions.ts";
import { describeLimit } from "../words/limits.ts";
import { describeStop } from "../words/stop-reasons.ts";
import { causeOf, failedRunBelow, type Journals } from "./causes.ts";
import {
  describeCall,
  describeCallById,
  emptyNames,
  learnNames,
  type Names,
  timelineEntry,
} from "./timeline.ts";
import type { Reason } from "./why-schema.ts";

/** Returns a function that explains events of these journals. Names are collected once per run. */
export function createReasonFinder(journals: Journals): (event: JournalEvent) => Reason {
  const known = new Map<string, Names>();
  const namesOf = (runId: string): Names => {
    const names = known.get(runId) ?? collectNames(journals.get(runId) ?? []);
    known.set(runId, names);
    return names;
  };
  return (event) => {
    const { runId, seq, ts, type } = event;
    const names = namesOf(runId);
    const cause = causeOf(journals, event);
    const because = becauseOf(event, { journals, cause, names });
    return {
      runId,
      agent: agentOfRun(journals, runId),
      seq,
      ts,
      type,
      what: whatOf(event, names),
      ...(because === undefined || because === "" ? {} : { because: inSentence(oneLine(because)) }),
      ...(cause ? { cause: { runId: cause.runId, seq: cause.seq } } : {}),
    };
  };
}

export function agentOfRun(journals: Journals, runId: string): string {
  const first = journals.get(runId)?.[0];
  return first?.type === "RUN_STARTED" ? first.payload.agent : runId;
}

function collectNames(events: readonly JournalEvent[]): Names {
  const names = emptyNames();
  for (const event of events) learnNames(names, event);
  return names;
}

function whatOf(event: JournalEvent, names: Names): string {
  if (event.type === "TOOL_PROPOSED" && event.payload.verdict === "allow")
    return `Allowed: ${describeCallById(names, event.payload.toolCallId, event.payload.name)}`;
  if (event.type === "RUN_FAILED" && failedRunBelow(event) !== undefined) return "Failed";
  const calls = event.type === "AGENT_THOUGHT" ? toolCallsOf(event.payload.content) : [];
  const entry = timelineEntry(event, names)?.title;
  if (calls.length === 0) return entry ?? event.type;
  const wanted = calls.map(({ toolName, input }) => describeCall(toolName, input)).join(", ");
  return oneLine(entry === undefined ? `Wants: ${wanted}` : `${entry} (wants: ${wanted})`);
}

interface Around {
  journals: Journals;
  cause: JournalEvent | undefined;
  names: Names;
}

function becauseOf(event: JournalEvent, around: Around): string | undefined {
  const words = BECAUSE[event.type] as
    | ((event: JournalEvent, around: Around) => string | undefined)
    | undefined;
  return words?.(event, around);
}

/** The reasons of events, by type. An event of any other type is explained by its cause alone. */
const BECAUSE: { [T in EventType]?: (event: EventOf<T>, around: Around) => string | undefined } = {
  RUN_STARTED: ({ payload }) => startCause(payload),
  MODEL_CALL_STARTED: ({ payload }, { cause }) => modelCallReason(payload, cause),
  MODEL_CALL_FAILED: ({ payload }) => FAILURES[payload.cause],
  TOOL_PROPOSED: ({ payload }) => verdictReason(payload),
  APPROVAL_DECIDED: ({ payload }, { cause }) => decisionReason(payload, cause),
  TOOL_STARTED: ({ payload }, { cause }) => toolStartReason(payload, cause),
  TOOL_RESULT: ({ payload }, { cause }) => resultReason(payload, cause),
  OUTCOME_DECIDED: ({ payload: { note } }) =>
    note ?? "a process ended in the middle of the call, so its outcome was unknown",
  OUTCOME_PROBED: ({ payload: { evidence } }) => evidence.join(" "),
  RUN_SUSPENDED: (_, { cause }) =>
    cause?.type === "TOOL_PROPOSED" ? verdictReason(cause.payload) : undefined,
  CHILD_RUN_STARTED: ({ payload }, { journals, cause }) => childReason(payload, journals, cause),
  CONTEXT_COMPACTED: () => "its history was too long for its model",
  CONTEXT_CLIPPED: ({ payload: { files } }) =>
    files?.why === "rejected"
      ? "the provider rejected a request with files"
      : "its history was too long for its model",
  LIMIT_REACHED: ({ payload }) => {
    const { limit, value, hard, needs } = payload;
    if (!hard) return `it warns before \`limits.${limit}\` is used up`;
    return needs === undefined ? `\`limits.${limit}\` is ${value}` : describeLimit(payload);
  },
  CANCEL_REQUESTED: ({ payload: { via } }) =>
    via === undefined ? undefined : "a run above it was cancelled, or had ended",
  RUN_CANCELLED: ({ payload }) => describeStop(payload.stopReason).why,
  RUN_COMPLETED: ({ payload }) => describeStop(payload.stopReason).why,
  RUN_FAILED: ({ payload }, { cause, names }) =>
    cause?.type === "CHILD_RUN_COMPLETED"
      ? `${names.children.get(cause.payload.child_run_id) ?? "a run below"} did not succeed`
      : describeStop(payload.stopReason).why,
};

/** Makes one of Cadre's sentences part of another sentence: small first letter, no full stop. Text of models and people is not changed. */
const inSentence = (text: string): string =>
  /^(It|A|The|Its|Nobody) /.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "")
    : text;

function startCause({ trigger, userId, reason, continues }: Payload<"RUN_STARTED">): string | undefined {
  if (reason !== undefined) return reason;
  const before = continues ? `; it continues run ${continues.runId} after its event ${continues.seq}` : "";
  if (trigger === "retry") return `a person retried it${before}`;
  if (trigger === "message") return `a message started it${before}`;
  return trigger === "user" ? `${userId ?? "a person"} asked for it${before}` : undefined;
}

function modelCallReason(
  { model, attempt = 1, purpose = "turn" }: Payload<"MODEL_CALL_STARTED">,
  cause: JournalEvent | undefined,
): string | undefined {
  if (attempt > 1 && cause?.type === "MODEL_CALL_FAILED")
    return `attempt ${cause.payload.attempt ?? 1} failed: ${FAILURES[cause.payload.cause]} (${cause.payload.message}); ${model} is asked`;
  return PURPOSES[purpose];
}

const PURPOSES: Record<NonNullable<Payload<"MODEL_CALL_STARTED">["purpose"]>, string | undefined> = {
  turn: undefined,
  final: "it is its last turn",
  summary: "its history was too long for its model",
  brief: "a child needs a summary of it",
  judge: "the best of several answers has to be picked",
  repair: "its answer did not match the required format",
};

const FAILURES: Record<Payload<"MODEL_CALL_FAILED">["cause"], string> = {
  interrupted: "the process that made the call ended",
  rate_limit: "the provider's rate limit was reached",
  overloaded: "the provider is overloaded",
  network: "the connection was lost",
  timeout: "the model took too long",
  truncated: "the answer was cut off",
  empty: "the answer had no text",
  output_cap: "the answer exceeded the maximum length",
  unreadable: "the answer could not be read",
  too_long: "the conversation was too long for the model",
  rejected: "the provider rejected the request",
  refused: "the model refused to answer",
  auth: "the provider does not accept the key",
  model: "the provider does not offer this model",
};

const VERDICTS = { allow: "allows it", deny: "denies it" } as const;

function verdictReason(proposal: Payload<"TOOL_PROPOSED">): string {
  const { verdict, rule, untrusted = [], round = 1, name: tool } = proposal;
  const heard = untrusted.length === 0 ? "" : `; it had read untrusted text from ${untrusted.join(", ")}`;
  const again = round > 1 ? "; the files or rules behind it changed after it was approved" : "";
  const judged =
    verdict === "ask" ? describeAskReason({ ...proposal, tool }) : `the rule “${rule}” ${VERDICTS[verdict]}`;
  return `${judged}${heard}${again}`;
}

function decisionReason(
  { decision, by, note }: Payload<"APPROVAL_DECIDED">,
  cause: JournalEvent | undefined,
): string | undefined {
  const asked = cause?.type === "TOOL_PROPOSED" ? verdictReason(cause.payload) : undefined;
  if (decision === "expire") return [asked, note ?? "nobody decided in time"].filter(Boolean).join("; ");
  return note === undefined ? asked : `${by} said: ${note}`;
}

function toolStartReason(
  { attempt = 1, receipt }: Payload<"TOOL_STARTED">,
  cause: JournalEvent | undefined,
): string | undefined {
  if (cause?.type === "TOOL_STARTED" && attempt > 1)
    return "a process ended during the previous attempt, and the call may be repeated";
  if (cause?.type === "OUTCOME_DECIDED") return `${cause.payload.by} said to run it again`;
  if (cause?.type === "APPROVAL_DECIDED") {
    const words = describeReceipt(receipt, { ...cause.payload, ts: cause.ts });
    return `${cause.payload.by} approved it${words === undefined ? "" : `; it is ${words}`}`;
  }
  return cause?.type === "TOOL_PROPOSED" ? verdictReason(cause.payload) : undefined;
}

function resultReason(
  { output, isError, outcome }: Payload<"TOOL_RESULT">,
  cause: JournalEvent | undefined,
): string | undefined {
  if (cause?.type === "APPROVAL_DECIDED" && cause.payload.decision === "reject")
    return `${cause.payload.by} rejected it${cause.payload.note ? `: ${cause.payload.note}` : ""}`;
  if (outcome === "denied" && cause?.type === "TOOL_PROPOSED") return verdictReason(cause.payload);
  return isError ? (typeof output === "string" ? output : JSON.stringify(output)) : undefined;
}

function childReason(
  { child_run_id: id, agent_type: agent, trigger, attempt = 1, retries = 0 }: Payload<"CHILD_RUN_STARTED">,
  journals: Journals,
  cause: JournalEvent | undefined,
): string | undefined {
  const first = journals.get(id)?.[0];
  const reason = first?.type === "RUN_STARTED" ? first.payload.reason : undefined;
  const again =
    attempt > 1 ? `attempt ${attempt}, because the one before failed (${retries} more may follow); ` : "";
  const judged = cause?.type === "TOOL_PROPOSED" ? `; ${verdictReason(cause.payload)}` : "";
  const decided = cause?.type === "APPROVAL_DECIDED" ? `; ${cause.payload.by} approved it` : "";
  const said = reason === undefined ? "" : `: ${reason}`;
  return `${again}${startReason(trigger, agent)}${said}${judged}${decided}`;
}

const startReason = (trigger: Trigger, agent: string): string =>
  triggerOf(trigger)?.reason(agent) ?? OTHER_REASONS[trigger as Exclude<Trigger, PatternTrigger>](agent);

const OTHER_REASONS: Record<Exclude<Trigger, PatternTrigger>, (agent: string) => string> = {
  user: () => "a person asked for it",
  delegation: (agent) => `its model chose ${agent} for this task`,
  message: () => "a message was sent to it",
  fork: () => "a run was forked",
  retry: () => "a person retried it",
  schedule: () => "a schedule started it",
  hook: () => "a message from another system started it",
};

const LONGEST = 300;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
}
