// The cause of an event: the one earlier event that brought it about, in the same run or a related one.
//  T6  Every event type has a rule for its cause, or declares that it has none. The compiler reports a type without either.
//  T7  A cause is always an event in the given journals. If there is no such event, there is no cause: nothing is guessed.
//  T8  The cause of a model call is the run's task, unless a failure or a message from outside arrived after the last turn.

import { toolCallId } from "../../ids.ts";
import {
  type EventOf,
  type EventType,
  type JournalEvent,
  type Payload,
  TERMINAL_TYPES,
} from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { memberSlot } from "../../patterns/declarations/team.ts";
import { BROADCAST, callOfItem, VOTE_CONCLUDE } from "../folds/tool-call.ts";

/** Events of the runs of a tree, by run and in order. */
export type Journals = ReadonlyMap<string, readonly JournalEvent[]>;

export function causeOf(journals: Journals, event: JournalEvent): JournalEvent | undefined {
  const find = CAUSES[event.type] as (event: JournalEvent, past: Past) => JournalEvent | undefined;
  return find(event, pastOf(journals, event));
}

/** The chain of causes, from the event back to its origin. Each entry is caused by the next. */
export function causesOf(journals: Journals, event: JournalEvent): JournalEvent[] {
  const chain: JournalEvent[] = [];
  let at: JournalEvent | undefined = event;
  while (at && !chain.includes(at)) {
    chain.push(at);
    at = nextFromTeamWord(journals, chain) ?? causeOf(journals, at);
  }
  return chain;
}

export function eventAt(journals: Journals, runId: string, seq: number): JournalEvent | undefined {
  const events = journals.get(runId) ?? [];
  const event = events[seq - 1];
  // If some events could not be read, an event's index differs from its seq.
  return event?.seq === seq ? event : events.find((each) => each.seq === seq);
}

/** The descendant in which the failure began. Undefined if the failure began in this run. */
export function failedRunBelow({ runId, payload }: EventOf<"RUN_FAILED">): string | undefined {
  const below = payload.result.first_cause?.run_id;
  return below === runId ? undefined : below;
}

/** The events of the run before a given event. */
interface Past {
  journals: Journals;
  /** The latest earlier event of one of these types whose payload passes the test `fits`. */
  latest<T extends EventType>(
    types: readonly T[],
    fits?: (payload: Payload<T>) => boolean,
  ): EventOf<T> | undefined;
  start: JournalEvent | undefined;
}

function pastOf(journals: Journals, { runId, seq }: JournalEvent): Past {
  const events = journals.get(runId) ?? [];
  return {
    journals,
    start: events[0]?.type === "RUN_STARTED" ? events[0] : undefined,
    latest: (types, fits = () => true) => {
      for (let at = Math.min(seq - 1, events.length) - 1; at >= 0; at--) {
        const event = events[at]! as EventOf<(typeof types)[number]>;
        if (event.seq < seq && types.includes(event.type) && fits(event.payload as never)) return event;
      }
      return undefined;
    },
  };
}

const CAUSES: { [T in EventType]: (event: EventOf<T>, past: Past) => JournalEvent | undefined } = {
  RUN_STARTED: ({ runId, payload: { parentRunId } }, { journals }) =>
    journals
      .get(parentRunId ?? "")
      ?.find((each) => each.type === "CHILD_RUN_STARTED" && each.payload.child_run_id === runId),
  CONTEXT_ADDED: ({ payload: { source } }, { latest, start }) => {
    if (source === "person" || source === "agent") return undefined;
    return source === "parent" ? start : (latest(NEWS) ?? start);
  },
  MODEL_CALL_STARTED: (event, past) => modelCallCause(event, past),
  AGENT_THOUGHT: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  MODEL_CALL_FAILED: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  TOOL_PROPOSED: ({ payload: { toolCallId, round = 1 } }, { latest, start }) => {
    if (round > 1) return latest(["APPROVAL_DECIDED"], isAbout(toolCallId));
    const callId = toolCallId.slice(0, toolCallId.lastIndexOf("."));
    return (
      latest(["AGENT_THOUGHT"], (thought) => thought.callId === callId) ?? latest(["STEP_YIELDED"]) ?? start
    );
  },
  APPROVAL_DECIDED: ({ payload: { itemId } }, past) => itemCause(itemId, past),
  PERSON_ASKED: ({ payload: { itemId } }, past) => itemCause(itemId, past),
  BUDGET_SET: () => undefined,
  TOOL_STARTED: ({ payload: { toolCallId } }, { latest }) =>
    latest(
      ["TOOL_PROPOSED", "APPROVAL_DECIDED", "OUTCOME_DECIDED", "TOOL_STARTED", "CHILD_RUN_COMPLETED"],
      isAbout(toolCallId),
    ),
  TOOL_RESULT: ({ payload: { toolCallId } }, { latest }) =>
    latest(
      [
        "TOOL_PROPOSED",
        "APPROVAL_DECIDED",
        "OUTCOME_DECIDED",
        "TOOL_STARTED",
        "CHILD_RUN_STARTED",
        "CHILD_RUN_COMPLETED",
      ],
      isAbout(toolCallId),
    ) ?? latest(["AGENT_THOUGHT"]),
  HOOKS_STARTED: (event, { latest, start }) =>
    event.payload.event === "PreToolUse"
      ? (latest(["APPROVAL_DECIDED", "AGENT_THOUGHT", "STEP_YIELDED"]) ?? start)
      : (latest(["TOOL_RESULT", "AGENT_THOUGHT", "CHILD_RUN_COMPLETED", "STEP_YIELDED"]) ?? start),
  HOOKS_ENDED: ({ payload: { id } }, { latest }) => latest(["HOOKS_STARTED"], (started) => started.id === id),
  OUTCOME_DECIDED: ({ payload: { toolCallId } }, { latest }) =>
    latest(["TOOL_STARTED", "OUTCOME_PROBED"], isAbout(toolCallId)),
  OUTCOME_PROBED: ({ payload: { toolCallId } }, { latest }) => latest(["TOOL_STARTED"], isAbout(toolCallId)),
  RUN_SUSPENDED: (event, past) => waitCause(event, past),
  RUN_RESUMED: (_, { latest }) =>
    latest(["APPROVAL_DECIDED", "OUTCOME_DECIDED", "TIMER_FIRED", "CHILD_RUN_COMPLETED", "RUN_SUSPENDED"]),
  CHILD_RUN_STARTED: ({ payload: { key } }, { latest, start }) =>
    latest(["TOOL_PROPOSED", "APPROVAL_DECIDED", "CHILD_RUN_COMPLETED"], isAbout(key)) ??
    latest(["TEAM_ROUND_STARTED", "STEP_YIELDED", "CHILD_RUN_COMPLETED"]) ??
    start,
  CHILD_RUN_COMPLETED: ({ payload: { child_run_id: id } }, { journals, latest }) =>
    journals.get(id)?.at(-1) ?? latest(["CHILD_RUN_STARTED"], ({ child_run_id }) => child_run_id === id),
  TEAM_ROUND_STARTED: (_, { latest, start }) => latest(["CHILD_RUN_COMPLETED"]) ?? start,
  TEAM_MESSAGE: (event, past) => teamMessageCause(event, past),
  TEAM_VOTE: (event, past) => teamMessageCause(event, past),
  RUNNER_STARTED: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  RUNNER_SAID: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  RUNNER_SPENT: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  STEP_YIELDED: (_, { latest, start }) => latest(NEWS) ?? start,
  CONTEXT_COMPACTED: (event, { latest }) => latest(["MODEL_CALL_STARTED"], sameCall(event)),
  CONTEXT_CLIPPED: (_, { latest, start }) => latest(["MODEL_CALL_FAILED", "TOOL_RESULT"]) ?? start,
  LIMIT_REACHED: (_, { latest, start }) => latest(["AGENT_THOUGHT"]) ?? start,
  TIMER_SET: (_, { latest, start }) => latest(["STEP_YIELDED", "MODEL_CALL_FAILED"]) ?? start,
  TIMER_FIRED: ({ payload: { id } }, { latest }) => latest(["TIMER_SET"], (timer) => timer.id === id),
  CANCEL_REQUESTED: ({ payload: { via } }, { journals }) =>
    journals.get(via ?? "")?.findLast(({ type }) => type === "CANCEL_REQUESTED" || TERMINAL_TYPES.has(type)),
  RUN_CANCELLED: (_, { latest }) => latest(["CANCEL_REQUESTED"]),
  RUN_MOVED: () => undefined,
  SYSTEM_ERROR: (_, { latest, start }) => latest(NEWS) ?? start,
  RUN_COMPLETED: (_, { latest, start }) =>
    latest(["AGENT_THOUGHT", "STEP_YIELDED", "CHILD_RUN_COMPLETED"]) ?? start,
  RUN_FAILED: (event, past) => failureCause(event, past),
};

/** The event that opened an inbox item. */
const itemCause = (itemId: string, { latest }: Past): JournalEvent | undefined =>
  latest(["TOOL_PROPOSED"], isAbout(callOfItem(itemId))) ??
  latest(["LIMIT_REACHED"], (reached) => reached.itemId === itemId) ??
  latest(["RUN_SUSPENDED"], ({ waitingOn }) => waitingOn.items?.includes(itemId) === true);

/** Types of events after which a run continues. */
const NEWS = [
  "AGENT_THOUGHT",
  "MODEL_CALL_FAILED",
  "TOOL_RESULT",
  "CHILD_RUN_COMPLETED",
  "APPROVAL_DECIDED",
  "STEP_YIELDED",
  "TIMER_FIRED",
] as const;

const sameCall =
  ({ payload: { callId } }: { payload: { callId: string } }) =>
  (other: { callId: string }): boolean =>
    other.callId === callId;

type AboutCall = Payload<
  | "TOOL_PROPOSED"
  | "APPROVAL_DECIDED"
  | "OUTCOME_DECIDED"
  | "OUTCOME_PROBED"
  | "TOOL_STARTED"
  | "CHILD_RUN_STARTED"
  | "CHILD_RUN_COMPLETED"
>;

/** Matches events about a call: its proposal, the decisions on it, its start, and the start of its child. */
const isAbout =
  (id: string) =>
  (payload: AboutCall): boolean => {
    if ("toolCallId" in payload) return payload.toolCallId === id;
    if ("itemId" in payload) return callOfItem(payload.itemId) === id;
    return payload.key === id || `merge/${payload.child_run_id}` === id;
  };

/** T8: the cause of a second attempt is the failure of the first. */
function modelCallCause(
  event: EventOf<"MODEL_CALL_STARTED">,
  { latest, start }: Past,
): JournalEvent | undefined {
  const { attempt = 1 } = event.payload;
  if (attempt > 1) return latest(["MODEL_CALL_FAILED"], sameCall(event));
  const news = latest(["AGENT_THOUGHT", "TOOL_RESULT", "CHILD_RUN_COMPLETED", "CONTEXT_ADDED"], isNews);
  return news === undefined || news.type === "AGENT_THOUGHT" ? start : news;
}

/** Whether an event can cause the next turn: a failure, a message from outside, or the previous turn. */
function isNews(payload: Payload<"AGENT_THOUGHT" | "TOOL_RESULT" | "CHILD_RUN_COMPLETED" | "CONTEXT_ADDED">) {
  if ("success" in payload) return !payload.success;
  if ("source" in payload) return !payload.opening && payload.source !== "parent";
  return "callId" in payload || payload.isError === true;
}

/** The end of a member's run causes the member's message. The coordinator's own call or turn causes the coordinator's message. */
function teamMessageCause(word: TeamWord, { journals, latest, start }: Past): JournalEvent | undefined {
  const slot = slotOfWord(word);
  const ofMember =
    latest(["CHILD_RUN_COMPLETED"], ({ key }) => key === slot) ??
    latest(["SYSTEM_ERROR"], ({ id }) => id === slot) ??
    latest(["CHILD_RUN_STARTED"], ({ key }) => key === slot);
  if (ofMember) return ofMember;
  const isOwn = start?.type === "RUN_STARTED" && start.payload.agent === word.payload.from;
  const before = (journals.get(word.runId) ?? []).filter(({ seq }) => seq < word.seq);
  const own = isOwn ? callThatSaid(before, word) : undefined;
  return own ?? latest(isOwn ? ["AGENT_THOUGHT"] : ["CHILD_RUN_COMPLETED"]) ?? start;
}

function waitCause({ payload }: EventOf<"RUN_SUSPENDED">, past: Past): JournalEvent | undefined {
  const { latest, journals, start } = past;
  const { kind, items = [] } = payload.waitingOn;
  const [first = ""] = items;
  switch (kind) {
    case "approval":
    case "question":
    case "outcome_unknown":
      return (
        latest(["TOOL_PROPOSED", "TOOL_STARTED"], isAbout(callOfItem(first))) ??
        latest(["STEP_YIELDED"]) ??
        start
      );
    case "child":
    case "handoff":
      return latest(["CHILD_RUN_STARTED"], ({ child_run_id: id }) => items.includes(id));
    case "child_hitl":
      return journals.get(payload.blockers?.[0] ?? "")?.findLast(({ type }) => type === "RUN_SUSPENDED");
    case "budget":
      return latest(["LIMIT_REACHED"]);
    case "loop":
      return latest(["TOOL_PROPOSED", "AGENT_THOUGHT"]);
    case "provider":
      return latest(["MODEL_CALL_FAILED"]);
    case "timer":
      return latest(["TIMER_SET"]);
    default:
      return undefined;
  }
}

function failureCause(event: EventOf<"RUN_FAILED">, { latest, start }: Past): JournalEvent | undefined {
  const below = failedRunBelow(event);
  const child =
    below === undefined
      ? undefined
      : latest(
          ["CHILD_RUN_COMPLETED"],
          ({ child_run_id: id, result }) => (result.first_cause?.run_id ?? id) === below,
        );
  return child ?? ownFailure(event.payload.stopReason, latest) ?? latest(["AGENT_THOUGHT"]) ?? start;
}

function ownFailure(
  reason: Payload<"RUN_FAILED">["stopReason"],
  latest: Past["latest"],
): JournalEvent | undefined {
  switch (reason) {
    case "max_turns":
    case "max_duration":
    case "budget":
    case "history_limit":
      return latest(["LIMIT_REACHED"], ({ hard }) => hard);
    case "approval_expired":
      return (
        latest(["APPROVAL_DECIDED"], ({ decision }) => decision === "expire") ??
        latest(["TOOL_PROPOSED"], ({ verdict }) => verdict === "deny")
      );
    case "provider":
    case "refused":
    case "output_limit":
      return latest(["MODEL_CALL_FAILED"]);
    case "loop":
      return latest(["APPROVAL_DECIDED", "RUN_SUSPENDED"], isLoop);
    case "parent":
    case "orphaned":
      return latest(["CANCEL_REQUESTED"]);
    case "error": {
      // If the run recovered from an earlier failure, that failure is not the cause.
      const last = latest(["AGENT_THOUGHT", "MODEL_CALL_FAILED", "TOOL_RESULT"]);
      return latest(["SYSTEM_ERROR"], ({ fatal }) => fatal) ?? (last && isFailure(last) ? last : undefined);
    }
    default:
      return undefined;
  }
}

const isFailure = (event: EventOf<"AGENT_THOUGHT" | "MODEL_CALL_FAILED" | "TOOL_RESULT">): boolean =>
  event.type === "MODEL_CALL_FAILED" || (event.type === "TOOL_RESULT" && event.payload.isError === true);

function isLoop(payload: Payload<"APPROVAL_DECIDED" | "RUN_SUSPENDED">): boolean {
  return "itemId" in payload ? payload.itemId.startsWith("loop/") : payload.waitingOn.kind === "loop";
}

// Causes of team messages and votes. The chain leads from the coordinator's journal to the end of the member's run, and from there to the member's call.
// A round is published all at once, so the order of its events does not show the cause.

type TeamWord = EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">;

/** The slot of the member that sent the message. A notice of the team uses the slot of the member that it is about. */
function slotOfWord({ payload }: TeamWord): string {
  const { round, from } = payload;
  return memberSlot(round, ("dropped" in payload ? payload.dropped : undefined) ?? from);
}

/** Extends a chain that leads from a message to the end of its sender's run. Adds the call that sent the message. */
function nextFromTeamWord(
  journals: ReadonlyMap<string, readonly JournalEvent[]>,
  chain: readonly JournalEvent[],
): JournalEvent | undefined {
  const last = chain.at(-1);
  const word = chain.findLast(isWord);
  if (!word || last?.type !== "RUN_COMPLETED") return undefined;
  const between = chain.slice(chain.indexOf(word) + 1);
  return between.every(({ type }) => type === "CHILD_RUN_COMPLETED" || type === "RUN_COMPLETED")
    ? callThatSaid(journals.get(last.runId) ?? [], word)
    : undefined;
}

const isWord = (event: JournalEvent): event is TeamWord =>
  event.type === "TEAM_MESSAGE" || event.type === "TEAM_VOTE";

/** The result of the call that sent the message, in the sender's journal. Undefined if the message was the run's final text. */
function callThatSaid(events: readonly JournalEvent[], word: TeamWord): JournalEvent | undefined {
  const ids = new Set(
    events.flatMap((event) => (event.type === "AGENT_THOUGHT" ? callsSaying(event, word) : [])),
  );
  return events.findLast(
    ({ type, payload }) => type === "TOOL_RESULT" && !payload.isError && ids.has(payload.toolCallId),
  );
}

function callsSaying({ payload: { callId, content } }: EventOf<"AGENT_THOUGHT">, word: TeamWord): string[] {
  return toolCallsOf(content).flatMap(({ toolName, input }, index) =>
    isSaying(toolName, (input ?? {}) as Said, word) ? toolCallId(callId, index) : [],
  );
}

type Said = Partial<Pick<Payload<"TEAM_VOTE">, "ready" | "reason">> & { message?: string };

function isSaying(tool: string, { message, ready, reason }: Said, word: TeamWord): boolean {
  if (word.type === "TEAM_MESSAGE") return tool === BROADCAST && message === word.payload.text;
  return tool === VOTE_CONCLUDE && ready === word.payload.ready && reason === word.payload.reason;
}
