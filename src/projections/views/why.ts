// Explains the state of a run, or one of its events (S1-64, S1-66, U44).
// The explanation of a failed tree names the first cause, the path of the failure up the tree, and what a person can do now.
// The explanation is derived from the journals of the tree alone. So the terminal, the API and the page give the same answer.

import type { EventOf, EventType, JournalEvent, WaitingOn } from "../../journal/events.ts";
import { TERMINAL_TYPES } from "../../journal/events.ts";
import { outcomeItemId } from "../folds/approvals.ts";
import { applyRunRow, initialRow, type RunRow } from "../folds/run-row.ts";
import { describeStop } from "../words/stop-reasons.ts";
import { describeWait } from "../words/waits.ts";
import { causeOf, causesOf, eventAt, type Journals } from "./causes.ts";
import { agentOfRun, createReasonFinder } from "./reasons.ts";
import type { Reason, Why } from "./why-schema.ts";

export type { Why };

/** Facts about runs that no journal contains. */
export interface UnjournaledFacts {
  /** Runs that cannot be driven, with the reason. */
  quarantined: ReadonlyMap<string, string>;
  /** Runs that could continue but have no driver. */
  idle: ReadonlySet<string>;
}

/** Explains a run or one of its events. Undefined if the run or the event is not in the journals. */
export function whyOf(
  journals: Journals,
  runId: string,
  seq?: number,
  { quarantined, idle }: UnjournaledFacts = { quarantined: new Map(), idle: new Set() },
): Why | undefined {
  const row = rowOf(journals.get(runId) ?? []);
  const last = journals.get(runId)?.at(-1);
  const event = seq === undefined ? last : eventAt(journals, runId, seq);
  if (!row || !event) return undefined;
  const reasonOf = createReasonFinder(journals);
  const { agent, task, status } = row;
  const about = { runId, agent, task, status };
  if (seq !== undefined) {
    const { what, because } = reasonOf(event);
    const answer = because === undefined ? what : `${what}: ${because}`;
    const chain = withoutRepeats(causesOf(journals, event), event).map(reasonOf);
    return { ...about, seq, answer, since: event.ts, chain, next: [] };
  }
  if (event.type === "RUN_FAILED") return { ...about, ...failure(journals, event, row, reasonOf) };
  const explaining = TERMINAL_TYPES.has(event.type) ? event : explainingEvent(journals, row, event);
  const chain = withoutRepeats(causesOf(journals, explaining), explaining).map(reasonOf);
  const since = explaining.runId === runId ? explaining.ts : row.updatedAt;
  const quarantinedRun = [explaining.runId, runId].find(
    (id) => quarantined.has(id) && !isQuarantineWait(explaining),
  );
  if (quarantinedRun !== undefined && row.endedAt === undefined)
    return {
      ...about,
      status: "suspended",
      ...quarantineAnswer(journals, runId, quarantinedRun, quarantined.get(quarantinedRun)!),
      since,
      chain,
    };
  return {
    ...about,
    ...(undrivenAnswer(journals, row, explaining, idle) ?? statusAnswer(journals, row, explaining, reasonOf)),
    since,
    chain,
  };
}

const isQuarantineWait = (event: JournalEvent): boolean =>
  event.type === "RUN_SUSPENDED" && event.payload.waitingOn.kind === "quarantine";

/** The answer for a quarantined run. No command can resume the run until its journal is restored. */
function quarantineAnswer(
  journals: Journals,
  runId: string,
  quarantinedRun: string,
  reason: string,
): Pick<Why, "answer" | "next"> {
  const whose = quarantinedRun === runId ? "" : ` (${agentOfRun(journals, quarantinedRun)})`;
  return { answer: `Quarantined${whose}: ${reason}`, next: [repairHint(quarantinedRun)] };
}

const repairHint = (runId: string): string =>
  `\`cadre verify ${runId}\` shows what is damaged. The run continues once the store is restored from a backup.`;

type ReasonOf = (event: JournalEvent) => Reason;

function rowOf([first, ...events]: readonly JournalEvent[]): RunRow | undefined {
  if (first?.type !== "RUN_STARTED") return undefined;
  return events.reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
}

/** Leaves out events that only repeat their neighbour in the chain, such as a child's start, which is in both journals. */
function withoutRepeats(chain: readonly JournalEvent[], asked: JournalEvent): JournalEvent[] {
  return chain.filter((event, at) => {
    if (event === asked) return true;
    const later = chain[at - 1];
    if (event.type === "TOOL_PROPOSED") return isShownSeparately(event.payload.verdict, later);
    if (event.type === "MODEL_CALL_STARTED") return (event.payload.attempt ?? 1) > 1;
    if (event.type === "RUN_STARTED") return chain[at + 1] === undefined;
    if (event.type === "CHILD_RUN_COMPLETED") return chain[at + 1]?.runId === event.runId;
    return event.type !== "RUN_SUSPENDED" || later?.type !== "RUN_SUSPENDED";
  });
}

/** Whether a verdict needs a separate entry. The start of an allowed call and the result of a denied call already show it. */
function isShownSeparately(verdict: "allow" | "ask" | "deny", later: JournalEvent | undefined): boolean {
  const isResult = later?.type === "TOOL_RESULT";
  return verdict === "ask" || (verdict === "allow") === isResult;
}

function failure(
  journals: Journals,
  event: EventOf<"RUN_FAILED">,
  { rootRunId }: RunRow,
  reasonOf: ReasonOf,
): Pick<Why, "answer" | "since" | "first" | "chain" | "next"> {
  const up: JournalEvent[] = [];
  let at: JournalEvent | undefined = event;
  // Follows failures down through the children. The cause of the lowest failure is the first cause.
  for (; at && isPassedOn(at) && !up.includes(at); at = causeOf(journals, at)) up.push(at);
  // A model's turn is never the cause of a failure. If the chain of causes stops at a turn, the run's failure explains more.
  const began: JournalEvent = at && !NO_FAULT.has(at.type) ? at : up.pop()!;
  const first = reasonOf(began);
  const { stop_reason: reason = event.payload.stopReason } = event.payload.result.first_cause ?? {};
  const { why, next } = describeStop(reason);
  const whose = began.runId === event.runId ? "" : `, because ${first.agent} did`;
  return {
    answer: `Failed${whose}. ${why}`,
    since: event.ts,
    first,
    chain: withoutRepeats(up, event).toReversed().map(reasonOf),
    next: [
      ...(next === undefined ? [] : [next]),
      retryHint(rootRunId),
      `\`cadre why ${began.runId}#${began.seq}\` shows what led to the first cause, \`cadre show ${began.runId}\` all that happened in its run.`,
    ],
  };
}

const retryHint = (rootRunId: string): string =>
  `\`cadre retry ${rootRunId}\` retries it in a new run that keeps finished work.`;

const NO_FAULT: ReadonlySet<EventType> = new Set(["AGENT_THOUGHT", "RUN_STARTED"]);

const isPassedOn = ({ type }: JournalEvent): boolean =>
  type === "RUN_FAILED" || type === "CHILD_RUN_COMPLETED";

/** The event that explains why a run has not ended. The event can be in any descendant. */
function explainingEvent(journals: Journals, { id, waitingOn }: RunRow, last: JournalEvent): JournalEvent {
  const below = waitingOn?.blockers?.[0] ?? liveBelow(journals, waitingOn);
  const events = journals.get(below ?? "");
  const row = rowOf(events ?? []);
  if (row && row.id !== id && events) return explainingEvent(journals, row, events.at(-1)!);
  if (!waitingOn) return last;
  return journals.get(id)!.findLast(({ type }) => WAITS.has(type)) ?? last;
}

const WAITS: ReadonlySet<EventType> = new Set(["RUN_SUSPENDED", "MODEL_CALL_FAILED"]);

function liveBelow(journals: Journals, waitingOn: WaitingOn | undefined): string | undefined {
  if (waitingOn?.kind !== "child" && waitingOn?.kind !== "handoff") return undefined;
  return waitingOn.items?.find((child) => {
    const last = journals.get(child)?.at(-1);
    return last && !TERMINAL_TYPES.has(last.type);
  });
}

function undrivenAnswer(
  journals: Journals,
  { id, endedAt }: RunRow,
  { runId, type }: JournalEvent,
  idle: ReadonlySet<string>,
): Pick<Why, "answer" | "next"> | undefined {
  if (endedAt !== undefined || !idle.has(runId) || WAITS.has(type)) return undefined;
  const whose = runId === id ? "" : ` (${agentOfRun(journals, runId)})`;
  return {
    answer: `No process is working on it${whose}. It continues as soon as one does.`,
    next: ["`cadre workers` shows the workers and how to start one."],
  };
}

function statusAnswer(
  journals: Journals,
  row: RunRow,
  explaining: JournalEvent,
  reasonOf: ReasonOf,
): Pick<Why, "answer" | "next"> {
  if (row.stopReason !== undefined) {
    const { why, next } = describeStop(row.stopReason, row.status);
    const word = row.status === "completed" ? "Completed" : "Cancelled";
    const retry = row.status === "cancelled" && row.stopReason !== "moved" ? [retryHint(row.rootRunId)] : [];
    return { answer: `${word}. ${why}`, next: [...(next === undefined ? [] : [next]), ...retry] };
  }
  const whose = explaining.runId === row.id ? "" : ` (${agentOfRun(journals, explaining.runId)})`;
  if (explaining.type === "MODEL_CALL_FAILED")
    return { answer: `Waits for the provider${whose}, and goes on by itself.`, next: [] };
  if (explaining.type !== "RUN_SUSPENDED")
    return { answer: `At work${whose}.`, next: [`\`cadre tail ${row.id}\` follows it.`] };
  const { items = [] } = explaining.payload.waitingOn;
  if (isAnswered(journals, explaining, items))
    return {
      answer: `Answered, but not continued yet${whose}.`,
      next: ["`cadre run` or `cadre worker` continues it, if no other process does."],
    };
  const { reason: words, next } = describeWait(explaining.payload.waitingOn);
  if (!next) return { answer: `Waits${whose}: ${words}. It continues by itself.`, next: [] };
  const asked = causeOf(journals, explaining);
  const reason = asked?.type === "TOOL_PROPOSED" ? reasonOf(asked) : undefined;
  const what = reason ? `${reason.what}, because ${reason.because}` : words;
  return { answer: `Waits for you${whose}: ${what}.`, next: next(explaining.runId, items) };
}

/** True if every decision that the run waits for has been made, but no driver has continued the run. */
function isAnswered(journals: Journals, { runId, seq }: JournalEvent, items: readonly string[]): boolean {
  const later = journals.get(runId)!.filter((event) => event.seq > seq);
  const decided = new Set(
    later.flatMap(({ type, payload }) => {
      if (type === "APPROVAL_DECIDED") return payload.itemId;
      return type === "OUTCOME_DECIDED" ? outcomeItemId(payload.toolCallId, payload.attempt) : [];
    }),
  );
  return items.length > 0 && items.every((item) => decided.has(item));
}
