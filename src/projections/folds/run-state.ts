// The state of a run, as `decide` sees it. It contains what the next step needs. The texts are in the transcript.
//  S1  Every question about a run is answered from this fold and the clock, never from the memory of a process.
//  S2  An intent without an outcome is *open*.
//      A driver chooses the next step only when no call of its own is under way, so any open intent was left by a crash.

import type {
  BackgroundFacts,
  EventOf,
  JournalEvent,
  Payload,
  PromptPrefix,
  Purpose,
  RunStatus,
  Unmerged,
  WaitingOn,
} from "../../journal/events.ts";
import { textOf, toolCallsOf } from "../../journal/message.ts";
import type { RunnerStarted } from "../../journal/run.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { triggerOf } from "../../patterns/declarations/facts.ts";
import type { Projection } from "../projection.ts";
import { type BudgetChanges, trackBudget } from "../usage/budgets.ts";
import { applyUsage, emptyUsage, type RunUsage } from "../usage/run-usage.ts";
import {
  addChild,
  type ChildRun,
  childOfMerge,
  endChild,
  isMergeCall,
  type Merge,
  mayBeRetried,
  newMerge,
  trackMerge,
  unmergedWork,
} from "./child-runs.ts";
import { type RunEnd, runEnd, SELF_RESUMING, waitingOnOf } from "./run-row.ts";
import { emptyTaint, isTainted, type Taint, trackTaint } from "./taint.ts";
import { emptyTeam, type TeamState, trackTeam } from "./team-state.ts";
import { type TestCounts, testCounts } from "./test-counts.ts";
import { parseTodos, TODO_WRITE, type Todo } from "./todos.ts";
import {
  BASH,
  CONCLUDE_TEAM,
  countRepeats,
  effectiveInput,
  emptyGuard,
  FINAL_REPORT,
  isPaidTry,
  itemIdOf,
  type LoopGuard,
  loopItemId,
  newCalls,
  newModelCall,
  newStepCall,
  type OpenModelCall,
  PROMPT,
  type RepeatedTurn,
  recordProbe,
  recordVerdict,
  SKILL,
  type ToolCall,
} from "./tool-call.ts";

export { effectiveInput, FINAL_REPORT, itemIdOf, type ToolCall };

export interface RunState extends BudgetChanges {
  runId: string;
  seq: number;
  start: Payload<"RUN_STARTED"> | undefined;
  createdAt: number;
  updatedAt: number;
  status: RunStatus;
  waitingOn: WaitingOn | undefined;
  /** How often the run was suspended. The event key of the next suspension contains this number. */
  suspensions: number;
  end: RunEnd | undefined;

  /** Numbers of the agent's turns, and of model calls for any purpose. */
  turns: number;
  modelCalls: number;
  openModelCall: OpenModelCall | undefined;
  /** The latest model call, if the latest attempt of that call failed. */
  failedCall:
    | (Payload<"MODEL_CALL_FAILED"> & Pick<OpenModelCall, "model" | "purpose" | "tries" | "paidTries">)
    | undefined;
  /** The models that the latest call has given up, at least for now, with the latest failure of each model. */
  failedModels: ReadonlyMap<string, NonNullable<RunState["failedCall"]>>;
  /** Milliseconds that the run has waited for its model's provider since the last answer, or since a person asked for a retry. */
  providerWaitMs: number;
  /** End of the latest wait that `providerWaitMs` contains. */
  providerWaitUntil: number;
  /** Number of waits in a row for the budget that other runs have reserved. */
  reservationWaits: number;
  /** Set if a provider refused a prompt of this run as too long, and no turn was completed since. */
  overflow: Overflow | undefined;
  /** True if a person asked for an immediate retry, although the provider asked Cadre to wait. */
  retryNow: boolean;
  /** Fingerprint of the latest prompt. */
  prefix: PromptPrefix | undefined;
  /** The latest turn, and its calls in order. */
  latest: LatestTurn | undefined;
  calls: Map<string, ToolCall>;

  cancel: Payload<"CANCEL_REQUESTED"> | undefined;
  usage: RunUsage;
  /** Permission rules that people granted in this run. */
  grants: { rule: string; scope: "run" | "tree" | "always"; until: number | undefined; at: number }[];
  /** Time at which the run last changed something after untrusted text had reached it. */
  taintedWriteAt: number;
  /** Limits that were reported as reached, by event key. */
  reachedLimits: Map<string, Payload<"LIMIT_REACHED">>;
  /** Decisions of people, by item: tool calls, `budget/1`, `loop/1`. */
  decisions: Map<string, Payload<"APPROVAL_DECIDED"> & { ts: number }>;
  /** The person who was last asked to decide, by item. */
  askedPeople: Map<string, Payload<"PERSON_ASKED"> & { ts: number }>;
  guard: LoopGuard;
  /** Children by run id, in start order. */
  children: Map<string, ChildRun>;
  /** The merge of the run's own worktree. Only for a root: the worktree of a child is merged by its parent. */
  ownMerge: Merge | undefined;
  /** Slots of a pattern for which no run could be started, with the reason. */
  unstartedSlots: Map<string, string>;
  /** Ids of timers that have fired, such as the time limit of a child. */
  firedTimers: Set<string>;
  suspendedTime: SuspendedTime;
  steps: StepRecord;
  runner: RunnerRecord;
  /** The task together with the gathered advice, and whether any advice was recorded. */
  opening: string | undefined;
  hasAdvice: boolean;
  team: TeamState;
  /** The latest summary that this run made for its children. */
  brief: { seq: number; text: string } | undefined;
  /** True if the run has its answer and only waits for its children. New messages do not delay its end (J11). */
  isClosing: boolean;
  /** The largest number of agents that any message to this run has passed through. */
  hops: number;
  /** Ids of messages from the runtime to the agent, such as nudges and the last-turn notice. */
  systemNotes: Set<string>;
  files: Map<string, "created" | "modified" | "deleted">;
  /** Work of runs below that was not merged into the workspace. */
  unmerged: Unmerged[];
  /** Fingerprints of the files that the model has read, as of its last reading. */
  seenFiles: Map<string, string>;
  /** Instruction files for parts of the project that are in the prompt. If a summary or a cleared result removes one, the agent gets it again. */
  toldFiles: Set<string>;
  /** Background commands that this run has started or read, by id. */
  background: Map<string, BackgroundFacts>;
  /** Counts from the latest test run, in this run or in a child. */
  tests: TestCounts | undefined;
  todos: Todo[];
  /** Names of the skills that the agent has loaded. */
  skills: Set<string>;
  taint: Taint;
  /** The hooks that were started, by the id of their moment in the run. */
  hooks: Map<string, HookRecord>;
  /** Recorded results that this run used instead of making calls. Each is an event of another run: `<run>#<seq>`. */
  usedRecordings: Set<string>;
}

export interface HookRecord
  extends Pick<Payload<"HOOKS_ENDED">, "event" | "toolCallId" | "decision" | "reason"> {
  hasEnded: boolean;
}

interface Overflow {
  /** The call to repeat when the prompt is shorter. Undefined if only a summary was refused. */
  call: NonNullable<RunState["failedCall"]> | undefined;
  model: string;
  /** Number of refusals by this model in a row. */
  refusals: number;
  /** True if the prompt became shorter after the latest refusal. */
  isCompacted: boolean;
}

interface LatestTurn {
  seq: number;
  ts: number;
  text: string;
  model: string;
  purpose: Purpose;
  /** The provider paused the answer, and the next turn continues it. */
  isPaused: boolean;
  /** How many answers in a row the output limit has cut, up to this one. `text` is the text of all of them. */
  cuts: number;
}

/** Time that the run spends waiting for a person. It does not count against time limits. */
interface SuspendedTime {
  ms: number;
  /** Start of the current wait for a person. Undefined if the run is not waiting for one. */
  since: number | undefined;
}

type AnsweredStep = Pick<Payload<"STEP_YIELDED">, "kind" | "arguments" | "answer">;

/** The steps of an agent's module: the recorded answers, which a replay of the module gets in order, and the state of the current step. */
interface StepRecord {
  answered: AnsweredStep[];
  /** The `seq` of the latest answer to a step, and the number of the agent's turns before it. All later events belong to the current step. */
  seq: number;
  turns: number;
  /** Due times of timers, by id. */
  timers: Map<string, number>;
  /** The hash of a changed module that a person accepted. */
  accepted: string | undefined;
}

/** The external program that does an agent's work: its process, and how many calls, texts and cost reports it has sent. Ids contain these numbers. */
interface RunnerRecord {
  /** The latest process of the program. It might have ended long ago. */
  started: RunnerStarted | undefined;
  /** True if a person was asked whether the process had an effect. Its session is not continued. */
  isLost: boolean;
  calls: number;
  said: number;
  spent: number;
}

export const emptyRunState = (): RunState => ({
  runId: "",
  seq: 0,
  start: undefined,
  createdAt: 0,
  updatedAt: 0,
  status: "pending",
  waitingOn: undefined,
  suspensions: 0,
  end: undefined,
  turns: 0,
  modelCalls: 0,
  openModelCall: undefined,
  prefix: undefined,
  failedCall: undefined,
  failedModels: new Map(),
  providerWaitMs: 0,
  providerWaitUntil: 0,
  reservationWaits: 0,
  overflow: undefined,
  retryNow: false,
  latest: undefined,
  calls: new Map(),
  cancel: undefined,
  usage: emptyUsage(),
  grants: [],
  taintedWriteAt: 0,
  reachedLimits: new Map(),
  changedBudget: {},
  changedTreeBudget: {},
  decisions: new Map(),
  askedPeople: new Map(),
  guard: emptyGuard(),
  children: new Map(),
  ownMerge: undefined,
  unstartedSlots: new Map(),
  firedTimers: new Set(),
  suspendedTime: { ms: 0, since: undefined },
  steps: emptySteps(),
  runner: emptyRunner(),
  opening: undefined,
  hasAdvice: false,
  team: emptyTeam(),
  brief: undefined,
  isClosing: false,
  hops: 0,
  systemNotes: new Set(),
  files: new Map(),
  unmerged: [],
  seenFiles: new Map(),
  toldFiles: new Set(),
  background: new Map(),
  tests: undefined,
  todos: [],
  skills: new Set(),
  taint: emptyTaint(),
  hooks: new Map(),
  usedRecordings: new Set(),
});

const emptySteps = (): StepRecord => ({
  answered: [],
  seq: 0,
  turns: 0,
  timers: new Map(),
  accepted: undefined,
});

const emptyRunner = (): RunnerRecord => ({
  started: undefined,
  isLost: false,
  calls: 0,
  said: 0,
  spent: 0,
});

export function applyRunState(state: RunState, event: JournalEvent): RunState {
  state.seq = event.seq;
  state.updatedAt = event.ts;
  applyUsage(state.usage, event);
  const merge = mergeOf(state, event);
  if (merge) trackMerge(merge, event);
  trackSuspension(state.suspendedTime, state.status, event);
  trackSteps(state.steps, event, state);
  trackRunner(state.runner, event);
  trackTeam(state, event);
  trackTaint(state.taint, event);
  trackBudget(state, event);
  switch (event.type) {
    case "RUN_STARTED":
      state.runId = event.runId;
      state.start = event.payload;
      state.createdAt = event.ts;
      if (event.payload.worktree && event.payload.parentRunId === undefined) state.ownMerge = newMerge(false);
      state.hops = event.payload.hops ?? 0;
      break;
    case "CONTEXT_ADDED":
      addContext(state, event);
      break;
    case "MODEL_CALL_STARTED":
      if (state.ownMerge) state.ownMerge.isOutdated = true;
      startModelCall(state, event);
      break;
    case "AGENT_THOUGHT":
      addThought(state, event);
      break;
    case "MODEL_CALL_FAILED":
      failModelCall(state, event);
      break;
    case "CONTEXT_CLIPPED":
      // The driver repeats the rejected call immediately, without the files.
      if (state.failedCall && event.payload.files?.why === "rejected")
        state.failedCall = { ...state.failedCall, retryAt: event.ts };
      trackToldFiles(state, event);
      if (state.overflow) state.overflow.isCompacted = true;
      break;
    case "CONTEXT_COMPACTED":
      if (state.overflow) state.overflow.isCompacted = true;
      trackToldFiles(state, event);
      break;
    case "TOOL_PROPOSED":
      addProposal(state, event);
      break;
    case "APPROVAL_DECIDED":
      addDecision(state, event);
      break;
    case "TOOL_STARTED":
      startTool(state, event);
      break;
    case "TOOL_RESULT":
      addResult(state, event);
      break;
    case "OUTCOME_DECIDED":
      recordVerdict(state.calls, event);
      break;
    case "RUN_SUSPENDED":
      suspend(state, event);
      break;
    case "RUN_RESUMED":
      setRunning(state);
      state.retryNow = event.payload.atOnce === true;
      if (state.retryNow) forgetProviderWait(state);
      break;
    case "CHILD_RUN_STARTED":
      startChild(state, event);
      break;
    case "CHILD_RUN_COMPLETED":
      completeChild(state, event);
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED":
      state.end = runEnd(event);
      state.status = state.end.status;
      state.waitingOn = undefined;
      break;
    default:
      recordEvent(state, event);
  }
  return state;
}

/** Adds up the time that the run waits for a person. `status` is the run's status before this event. */
function trackSuspension(suspended: SuspendedTime, status: RunStatus, event: JournalEvent): void {
  if (suspended.since !== undefined) {
    suspended.ms += event.ts - suspended.since;
    suspended.since = undefined;
  }
  const waits = event.type === "RUN_SUSPENDED" ? event.payload.waitingOn.kind : undefined;
  const stays = status === "suspended" && event.type !== "RUN_RESUMED" && waits === undefined;
  if (stays || (waits !== undefined && !SELF_RESUMING.has(waits))) suspended.since = event.ts;
}

/** `before` is the state of the run before this event. */
function trackSteps(
  record: StepRecord,
  event: JournalEvent,
  before: { turns: number; waitingOn: WaitingOn | undefined },
): void {
  switch (event.type) {
    case "STEP_YIELDED": {
      const { kind, arguments: given, answer } = event.payload;
      record.answered.push({ kind, arguments: given, answer });
      record.seq = event.seq;
      record.turns = before.turns;
      break;
    }
    case "TIMER_SET":
      record.timers.set(event.payload.id, event.payload.at);
      break;
    case "RUN_RESUMED":
      if (before.waitingOn?.kind === "definition_changed") record.accepted = before.waitingOn.items?.[0];
      break;
    default:
  }
}

function recordHooks(
  hooks: RunState["hooks"],
  { type, payload }: EventOf<"HOOKS_STARTED" | "HOOKS_ENDED">,
): void {
  const { id, event, toolCallId } = payload;
  const answer = "runs" in payload ? { decision: payload.decision, reason: payload.reason } : {};
  hooks.set(id, {
    event,
    hasEnded: type === "HOOKS_ENDED",
    ...omitUndefined({ toolCallId, ...answer }),
  });
}

function trackRunner(record: RunnerRecord, event: JournalEvent): void {
  if (event.type === "RUNNER_STARTED") {
    record.started = event.payload;
    record.isLost = false;
  }
  if (event.type === "RUNNER_SAID") record.said++;
  if (event.type === "RUNNER_SPENT") record.spent++;
  if (event.type !== "TOOL_PROPOSED" || (event.payload.round ?? 1) > 1) return;
  record.calls++;
  if (event.payload.name === PROMPT) record.isLost = true;
}

/** Handlers of events that only add data to the state. */
function recordEvent(state: RunState, event: JournalEvent): void {
  switch (event.type) {
    case "HOOKS_STARTED":
    case "HOOKS_ENDED":
      recordHooks(state.hooks, event);
      break;
    case "PERSON_ASKED":
      state.askedPeople.set(event.payload.itemId, { ...event.payload, ts: event.ts });
      break;
    case "OUTCOME_PROBED":
      recordProbe(state.calls, event);
      break;
    case "TIMER_SET":
      if (event.payload.purpose === "reservation") state.reservationWaits++;
      break;
    case "TIMER_FIRED":
      state.firedTimers.add(event.payload.id);
      break;
    case "SYSTEM_ERROR":
      if (event.payload.code === NOT_STARTED)
        state.unstartedSlots.set(event.payload.id, event.payload.message);
      break;
    case "LIMIT_REACHED":
      state.reachedLimits.set(event.key, event.payload);
      break;
    case "CANCEL_REQUESTED":
      state.cancel = event.payload;
      break;
    default:
  }
}

export const runStateProjection: Projection<RunState> = {
  name: "run-state",
  initial: emptyRunState,
  apply: applyRunState,
};

/** How often the latest turn was repeated in a row. The count is final once all calls of the turn have their results. */
export const repeatsOf = ({ guard, calls, latest }: RunState): RepeatedTurn =>
  countRepeats(guard, calls, latest?.ts ?? 0);

/** The SYSTEM_ERROR code for a pattern's slot that stays empty. */
export const NOT_STARTED = "NOT_STARTED";

/** Extra fields of `waitingOn` for a run that already has its answer. */
export const CLOSING = {
  closing: true,
  detail: "It has its answer and waits for its children to end.",
} as const;

/** The id of the message that tells an agent it has one turn left. */
export const LAST_TURN = "last-turn";

/** The time on a clock that stops while the run waits for a person. */
export const clockWithoutSuspensions = ({ ms, since }: SuspendedTime, now: number): number =>
  (since ?? now) - ms;

export const hasEnded = (status: RunStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

function addContext(state: RunState, { payload }: EventOf<"CONTEXT_ADDED">): void {
  if (payload.source === "system") state.systemNotes.add(payload.id);
  addBackground(state, payload.background);
  if (payload.source === "advice") state.hasAdvice = true;
  if (payload.opening) state.opening = payload.text;
  state.hops = Math.max(state.hops, payload.hops ?? 0);
}

function addBackground({ background }: RunState, facts: BackgroundFacts | undefined): void {
  if (facts) background.set(facts.id, { ...background.get(facts.id), ...facts });
}

function setRunning(state: RunState): void {
  state.status = "running";
  state.waitingOn = undefined;
}

function suspend(state: RunState, { ts, payload }: EventOf<"RUN_SUSPENDED">): void {
  const { kind, closing, items, until = ts } = payload.waitingOn;
  if (kind === "provider") addProviderWait(state, ts, until);
  state.suspensions++;
  state.waitingOn = waitingOnOf(payload);
  if (closing) state.isClosing = true;
  state.status = SELF_RESUMING.has(kind) ? "waiting" : "suspended";
  if (items?.[0] === loopItemId(state.guard.stops + 1)) state.guard.stops++;
}

/** Counts a wait from now on. If an earlier wait is not over, its remaining time is not counted. */
function addProviderWait(state: RunState, now: number, until: number): void {
  endProviderWait(state, now);
  state.providerWaitMs += Math.max(0, until - now);
  state.providerWaitUntil = until;
}

/** Ends the latest wait. If it ends early, the remaining time is subtracted. */
function endProviderWait(state: RunState, now: number): void {
  state.providerWaitMs = Math.max(0, state.providerWaitMs - Math.max(0, state.providerWaitUntil - now));
  state.providerWaitUntil = 0;
}

function forgetProviderWait(state: RunState): void {
  state.providerWaitMs = 0;
  state.providerWaitUntil = 0;
}

function startModelCall(state: RunState, event: EventOf<"MODEL_CALL_STARTED">): void {
  if ((event.payload.attempt ?? 1) === 1) state.modelCalls++;
  endProviderWait(state, event.ts);
  const { attempt = 1, model } = event.payload;
  const failed = state.failedCall;
  if (failed && failed.model !== model && failed.retryAt === undefined) forgetProviderWait(state);
  if (attempt === 1) state.failedModels = new Map();
  state.reservationWaits = 0;
  state.openModelCall = newModelCall(event, failed?.model === model ? failed : state.failedModels.get(model));
  state.failedCall = undefined;
  state.retryNow = false;
  setRunning(state);
}

function addThought(state: RunState, event: EventOf<"AGENT_THOUGHT">): void {
  const { callId, content, prefix } = event.payload;
  const { purpose = "turn", model = "" } = state.openModelCall ?? {};
  state.prefix = prefix ?? state.prefix;
  state.openModelCall = undefined;
  state.failedModels = new Map();
  // A turn whose prompt was refused is repeated after the summary, so it becomes the failed call again.
  state.failedCall = purpose === "summary" ? state.overflow?.call : undefined;
  forgetProviderWait(state);
  const text = textOf(content);
  if (purpose === "brief") state.brief = { seq: event.seq, text };
  if (purpose !== "turn" && purpose !== "final") return;
  state.turns++;
  state.overflow = undefined;
  const parts = toolCallsOf(content);
  state.guard.previous = repeatsOf(state);
  const { seq, ts, payload } = event;
  const cut = state.latest?.cuts ? state.latest : undefined;
  state.latest = {
    ...{ seq, ts, model, purpose, isPaused: payload.paused === true },
    text: `${cut?.text ?? ""}${text}`,
    cuts: payload.cut ? (cut?.cuts ?? 0) + 1 : 0,
  };
  state.calls = newCalls(callId, parts);
  state.guard.empty = parts.length === 0 && text.trim() === "" ? state.guard.empty + 1 : 0;
}

function failModelCall(state: RunState, event: EventOf<"MODEL_CALL_FAILED">): void {
  const open = state.openModelCall;
  state.openModelCall = undefined;
  if (!open) return;
  const { model, purpose, tries } = open;
  const { retryAt, backAt, retryWith, cause } = event.payload;
  const paidTries = open.paidTries + (isPaidTry(event.payload) ? 1 : 0);
  state.failedCall = { ...event.payload, model, purpose, tries, paidTries };
  if (cause === "too_long") recordOverflow(state, state.failedCall);
  const isGivenUp = retryAt === undefined || backAt !== undefined || retryWith !== undefined;
  if (isGivenUp && cause !== "interrupted")
    state.failedModels = new Map([...state.failedModels, [model, state.failedCall]]);
  if (retryAt !== undefined) addProviderWait(state, event.ts, retryAt);
  // If the run was paused during the call, the pause stays in effect.
  if (retryAt === undefined || state.status === "suspended") return;
  state.status = "waiting";
  const { message: detail } = state.failedModels.get(retryWith ?? model) ?? event.payload;
  state.waitingOn = { kind: "provider", until: retryAt, detail };
}

function recordOverflow(state: RunState, failed: NonNullable<RunState["failedCall"]>): void {
  const { overflow } = state;
  const { model, purpose } = failed;
  const call = purpose === "summary" ? overflow?.call : failed;
  const refusals = overflow?.model === model ? overflow.refusals + 1 : 1;
  state.overflow = { call, model, refusals, isCompacted: false };
}

/** The merge that the event is about. Undefined for events of other calls. */
function mergeOf(
  { runId, children, ownMerge }: RunState,
  { type, payload }: JournalEvent,
): Merge | undefined {
  if (type !== "TOOL_PROPOSED" && type !== "TOOL_STARTED" && type !== "TOOL_RESULT") return undefined;
  if (!isMergeCall(payload.toolCallId)) return undefined;
  const merged = childOfMerge(payload.toolCallId);
  if (merged === runId) return ownMerge;
  const child = children.get(merged);
  return child?.worktree ? child.merge : undefined;
}

/** The merges that a person was asked about. */
export const askedMerges = ({ children, ownMerge }: Pick<RunState, "children" | "ownMerge">): ToolCall[] =>
  [ownMerge, ...[...children.values()].map(({ merge }) => merge)].flatMap((merge) => merge?.asked ?? []);

function addProposal(state: RunState, event: EventOf<"TOOL_PROPOSED">): void {
  if (mergeOf(state, event)) return;
  const call = state.calls.get(event.payload.toolCallId) ?? addStepCall(state, event.payload);
  if (!call) return;
  call.proposal = { ...event.payload, seq: event.seq, ts: event.ts };
  if (call.decision?.decision === "edit") {
    call.edit = call.decision;
    call.input = call.decision.input;
  }
  call.decision = undefined;
}

/** Adds a call made by the module to the run's current calls, like the calls of a model's turn. */
function addStepCall(
  state: { calls: Map<string, ToolCall> },
  { toolCallId: id, name, input }: Payload<"TOOL_PROPOSED">,
): ToolCall | undefined {
  if (input === undefined) return undefined;
  if ([...state.calls.values()].every(({ result }) => result)) state.calls = new Map();
  const call = newStepCall(id, name, input);
  state.calls.set(id, call);
  return call;
}

function addDecision(state: RunState, event: EventOf<"APPROVAL_DECIDED">): void {
  const { itemId, decision, scope, grant, until } = event.payload;
  const isYes = decision !== "reject" && decision !== "expire";
  state.decisions.set(itemId, { ...event.payload, ts: event.ts });
  if (isYes && scope && scope !== "once" && grant)
    state.grants.push({ rule: grant, scope, until, at: event.ts });
  if (itemId.startsWith("loop/")) state.guard = { ...state.guard, previous: undefined, refused: 0, empty: 0 };
  for (const call of [...state.calls.values(), ...askedMerges(state)]) {
    if (call.proposal?.verdict === "ask" && itemIdOf(call) === itemId) {
      call.decision = { ...event.payload, ts: event.ts };
    }
  }
}

function startTool(state: RunState, event: EventOf<"TOOL_STARTED">): void {
  const call = state.calls.get(event.payload.toolCallId);
  if (!call) return;
  call.attempts = event.payload.attempt ?? 1;
  call.started = { ...event.payload, ts: event.ts };
  call.repeatedBy = call.verdict;
  call.verdict = undefined;
  setRunning(state);
}

/** Tracks the instruction files that are in the prompt. Events of a run that this run continues count too, because the prompt contains that run's conversation. */
export function trackToldFiles({ toldFiles }: Pick<RunState, "toldFiles">, event: JournalEvent): void {
  if (event.type === "CONTEXT_COMPACTED" || event.type === "CONTEXT_CLIPPED") toldFiles.clear();
  if (event.type === "TOOL_RESULT") for (const file of event.payload.told ?? []) toldFiles.add(file);
}

function addResult(state: RunState, event: EventOf<"TOOL_RESULT">): void {
  const { toolCallId: id, files, seen, ownChanges = [], isError, recorded } = event.payload;
  trackToldFiles(state, event);
  if (recorded) state.usedRecordings.add(`${recorded.runId}#${recorded.seq}`);
  for (const { path, change } of files ?? [])
    if (change !== "modified" || !state.files.has(path)) state.files.set(path, change);
  for (const { path, fingerprint } of seen ? [seen, ...ownChanges] : ownChanges)
    state.seenFiles.set(path, fingerprint);
  addBackground(state, event.payload.background);
  if (mergeOf(state, event)) {
    const { runId, start, children } = state;
    const unmerged = unmergedWork(
      children.get(childOfMerge(id)) ?? { runId, agent: start!.agent },
      event.payload,
    );
    if (unmerged) state.unmerged.push(unmerged);
  }
  const call = state.calls.get(id);
  const hasChanged = files !== undefined || (call?.started && call.proposal?.effect !== "read");
  if (hasChanged && !recorded && isTainted(state.taint)) state.taintedWriteAt = event.ts;
  if (!call) return;
  const { output } = event.payload;
  const outcome = event.payload.outcome ?? (isError ? "error" : "ok");
  call.result = { outcome, output, seq: event.seq, ts: event.ts };
  recordFacts(state, call, call.result);
  if (call.isStep) return;
  if ((call.name === FINAL_REPORT || call.name === CONCLUDE_TEAM) && outcome === "error") {
    state.guard.badReports++;
    state.guard.badReport = String(output);
  }
  if (outcome === "denied" && call.proposal?.verdict !== "ask") state.guard.refused++;
  else if (outcome === "ok") state.guard.refused = 0;
}

function startChild(state: RunState, { payload, ts }: EventOf<"CHILD_RUN_STARTED">): void {
  addChild(state.children, payload, ts - state.suspendedTime.ms);
  setRunning(state);
  // H2: later messages go to the run that took over, even if a crash prevented the RUN_SUSPENDED event.
  if (triggerOf(payload.trigger)?.closesParent) state.isClosing = true;
}

/** D0: a child's end is the only result of the call that awaits the child, unless the child failed and will be retried. */
function completeChild(state: RunState, event: EventOf<"CHILD_RUN_COMPLETED">): void {
  const child = endChild(state.children, event.payload);
  if (!child) return;
  const { key, success, result } = event.payload;
  state.unmerged.push(...(result.unmerged ?? []));
  // A child with a worktree changes files only there. The result of the merge says which files it changes here.
  const isHere = child.worktree === undefined;
  for (const path of isHere ? result.files_created : []) state.files.set(path, "created");
  for (const path of isHere ? result.files_modified : [])
    if (!state.files.has(path)) state.files.set(path, "modified");
  const { tests_run: run, tests_passed: passed } = result;
  if (run !== null && passed !== null) state.tests = { run, passed };
  const call = state.calls.get(key);
  if (!call || call.result || mayBeRetried(child)) return;
  const output = { ...result, child_run_id: child.runId };
  call.result = { outcome: success ? "ok" : "error", output, seq: event.seq, ts: event.ts };
  if (success) state.guard.refused = 0;
}

/** Takes test counts, the to-do list and the loaded skills from a tool's result. */
function recordFacts(
  state: RunState,
  call: ToolCall,
  { outcome, output }: NonNullable<ToolCall["result"]>,
): void {
  if (call.proposal?.name === BASH && typeof output === "string")
    state.tests = testCounts(output) ?? state.tests;
  if (outcome === "ok" && call.proposal?.name === TODO_WRITE)
    state.todos = parseTodos(TODO_WRITE, effectiveInput(call)) ?? state.todos;
  if (outcome === "ok" && call.proposal?.name === SKILL) {
    const { skill } = effectiveInput(call) as { skill?: unknown };
    if (typeof skill === "string") state.skills.add(skill.toLowerCase());
  }
}
