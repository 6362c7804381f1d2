// Where a run stands: the fold that `decide` looks at. Holds what the next step needs and nothing else; the words are
// in the transcript.
//  S1  Whatever can be asked about a run is answered by this fold and the clock, never by a process's memory.
//  S2  An intent without an outcome is *open*. While a driver decides, nothing of its own is under way, so an open
//      intent is one that a crash left behind.

import type { EventOf, JournalEvent, Payload, Purpose, RunStatus, WaitingOn } from "../../journal/events.ts";
import { textOf, toolCallsOf } from "../../journal/message-parts.ts";
import type { Projection } from "../projection.ts";
import { type ResultFacts, recordFacts } from "../result-facts.ts";
import { type BudgetChanges, trackBudget } from "../usage/budget-changes.ts";
import { applyUsage, emptyUsage, type RunUsage } from "../usage/run-usage.ts";
import { addChild, type ChildRun, endChild, mayBeRetried, trackMerge } from "./child-runs.ts";
import { countRepeats, emptyGuard, type LoopGuard, loopItemId } from "./loop-guard.ts";
import { type RunEnd, runEnd, SELF_RESUMING, waitingOnOf } from "./run-row.ts";
import { emptyRunner, type RunnerRecord, trackRunner } from "./runner-record.ts";
import { addStepCall, emptySteps, type StepRecord, trackSteps } from "./step-record.ts";
import { type SuspendedTime, trackSuspension } from "./suspended-time.ts";
import { emptyTaint, type Taint, trackTaint } from "./taint.ts";
import { emptyTeam, type TeamState, trackTeam } from "./team-state.ts";
import {
  CONCLUDE_TEAM,
  effectiveInput,
  FINAL_REPORT,
  itemIdOf,
  newCalls,
  newModelCall,
  type OpenModelCall,
  recordProbe,
  recordVerdict,
  type ToolCall,
} from "./tool-call.ts";

export { effectiveInput, FINAL_REPORT, itemIdOf, type ToolCall };

export interface RunState extends BudgetChanges, ResultFacts {
  runId: string;
  seq: number;
  start: Payload<"RUN_STARTED"> | undefined;
  createdAt: number;
  updatedAt: number;
  status: RunStatus;
  waitingOn: WaitingOn | undefined;
  /** Times that the run was suspended: names the next suspension. */
  suspensions: number;
  end: RunEnd | undefined;

  /** Thoughts that were turns of the agent, and model calls of any purpose so far. */
  turns: number;
  modelCalls: number;
  openModelCall: OpenModelCall | undefined;
  /** The latest model call, if its last attempt failed. */
  failedCall: (Payload<"MODEL_CALL_FAILED"> & Pick<OpenModelCall, "model" | "purpose" | "tries">) | undefined;
  /** A person wants the next model call now, whatever the provider asked for. */
  retryNow: boolean;
  /** The latest turn: its words, and its calls in their order. */
  latest: { seq: number; text: string; model: string; purpose: Purpose } | undefined;
  calls: Map<string, ToolCall>;

  cancel: Payload<"CANCEL_REQUESTED"> | undefined;
  usage: RunUsage;
  /** What people granted in this run: rules with their expiry. */
  grants: { rule: string; scope: "run" | "tree" | "always"; until: number | undefined }[];
  /** Limits that were reported, by key. */
  reachedLimits: Map<string, Payload<"LIMIT_REACHED">>;
  /** Every decision of this run, by item: tool calls, `budget/1`, `loop/1`. */
  decisions: Map<string, Payload<"APPROVAL_DECIDED"> & { ts: number }>;
  /** Who was asked last about an item. */
  askedPeople: Map<string, Payload<"PERSON_ASKED"> & { ts: number }>;
  guard: LoopGuard;
  /** By run id, in the order in which they were started. */
  children: Map<string, ChildRun>;
  /** Seats in a pattern for which no run could be started, by key, and why. */
  unstartedSlots: Map<string, string>;
  /** Timers that have fired: how long a child may take is over. */
  firedTimers: Set<string>;
  suspendedTime: SuspendedTime;
  steps: StepRecord;
  runner: RunnerRecord;
  /** The task with what was gathered for it, and whether advisors had their say. */
  opening: string | undefined;
  hasAdvice: boolean;
  team: TeamState;
  /** The latest summing-up of this run for its children. */
  brief: { seq: number; text: string } | undefined;
  /** It is done, and only waits for its children: what comes now does not hold the end (J11). */
  isClosing: boolean;
  /** Agents that what it was told has come through. */
  hops: number;
  /** What the runtime has told the agent: nudges, the last turn. */
  systemNotes: Set<string>;
  files: Map<string, "created" | "modified" | "deleted">;
  /** Fingerprints of files as the model knows them. */
  seenFiles: Map<string, string>;
  taint: Taint;
  /** Results of other runs that have stood in for calls of this one: `<run>#<seq>`. */
  usedRecordings: Set<string>;
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
  failedCall: undefined,
  retryNow: false,
  latest: undefined,
  calls: new Map(),
  cancel: undefined,
  usage: emptyUsage(),
  grants: [],
  reachedLimits: new Map(),
  changedBudget: {},
  changedTreeBudget: {},
  decisions: new Map(),
  askedPeople: new Map(),
  guard: emptyGuard(),
  children: new Map(),
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
  seenFiles: new Map(),
  tests: undefined,
  todos: [],
  taint: emptyTaint(),
  usedRecordings: new Set(),
});

export function applyRunState(state: RunState, event: JournalEvent): RunState {
  state.seq = event.seq;
  state.updatedAt = event.ts;
  applyUsage(state.usage, event);
  trackMerge(state.children, event);
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
      state.hops = event.payload.hops ?? 0;
      break;
    case "CONTEXT_ADDED":
      heard(state, event);
      break;
    case "MODEL_CALL_STARTED":
      modelCallStarted(state, event);
      break;
    case "AGENT_THOUGHT":
      thought(state, event);
      break;
    case "MODEL_CALL_FAILED":
      modelCallFailed(state, event);
      break;
    case "TOOL_PROPOSED":
      proposed(state, event);
      break;
    case "APPROVAL_DECIDED":
      decided(state, event);
      break;
    case "TOOL_STARTED":
      started(state, event);
      break;
    case "TOOL_RESULT":
      result(state, event);
      break;
    case "OUTCOME_DECIDED":
      recordVerdict(state.calls, event);
      break;
    case "RUN_SUSPENDED":
      suspended(state, event);
      break;
    case "RUN_RESUMED":
      working(state);
      state.retryNow = event.payload.atOnce === true;
      break;
    case "CHILD_RUN_STARTED":
      childStarted(state, event);
      break;
    case "CHILD_RUN_COMPLETED":
      childCompleted(state, event);
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
      noted(state, event);
  }
  return state;
}

/** What is only kept, for whoever asks about it. */
function noted(state: RunState, event: JournalEvent): void {
  switch (event.type) {
    case "PERSON_ASKED":
      state.askedPeople.set(event.payload.itemId, { ...event.payload, ts: event.ts });
      break;
    case "OUTCOME_PROBED":
      recordProbe(state.calls, event);
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

/** The code under which a run says that a seat in its pattern stays empty. */
export const NOT_STARTED = "NOT_STARTED";

/** How a run says that it has its answer and waits for its children only. */
export const CLOSING = "It is done, and waits for its children to end.";

/** Under which id an agent is told that it has one turn left. */
export const LAST_TURN = "last-turn";

export const hasEnded = (status: RunStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

function heard(state: RunState, { payload }: EventOf<"CONTEXT_ADDED">): void {
  if (payload.source === "system") state.systemNotes.add(payload.id);
  if (payload.source === "advice") state.hasAdvice = true;
  if (payload.opening) state.opening = payload.text;
  state.hops = Math.max(state.hops, payload.hops ?? 0);
}

function working(state: RunState): void {
  state.status = "running";
  state.waitingOn = undefined;
}

function suspended(state: RunState, { payload }: EventOf<"RUN_SUSPENDED">): void {
  const { kind, detail, items } = payload.waitingOn;
  state.suspensions++;
  state.waitingOn = waitingOnOf(payload);
  if (detail === CLOSING) state.isClosing = true;
  state.status = SELF_RESUMING.has(kind) ? "waiting" : "suspended";
  if (items?.[0] === loopItemId(state.guard.stops + 1)) state.guard.stops++;
}

function modelCallStarted(state: RunState, event: EventOf<"MODEL_CALL_STARTED">): void {
  if ((event.payload.attempt ?? 1) === 1) state.modelCalls++;
  state.openModelCall = newModelCall(event, state.failedCall);
  state.failedCall = undefined;
  state.retryNow = false;
  working(state);
}

function thought(state: RunState, event: EventOf<"AGENT_THOUGHT">): void {
  const { callId, content } = event.payload;
  const { purpose = "turn", model = "" } = state.openModelCall ?? {};
  state.openModelCall = undefined;
  state.failedCall = undefined;
  const text = textOf(content);
  if (purpose === "brief") state.brief = { seq: event.seq, text };
  if (purpose !== "turn" && purpose !== "final") return;
  state.turns++;
  state.latest = { seq: event.seq, text, model, purpose };
  const parts = toolCallsOf(content);
  state.calls = newCalls(callId, parts);
  countRepeats(state.guard, JSON.stringify(parts.map((part) => [part.toolName, part.input])), parts.length);
  state.guard.empty = parts.length === 0 && text.trim() === "" ? state.guard.empty + 1 : 0;
}

function modelCallFailed(state: RunState, event: EventOf<"MODEL_CALL_FAILED">): void {
  const open = state.openModelCall;
  state.openModelCall = undefined;
  if (!open) return;
  const { model, purpose, tries } = open;
  state.failedCall = { ...event.payload, model, purpose, tries };
  const { retryAt } = event.payload;
  // A pause that came during the call stays one.
  if (retryAt === undefined || state.status === "suspended") return;
  state.status = "waiting";
  state.waitingOn = { kind: "provider", until: retryAt, detail: event.payload.message };
}

function proposed(state: RunState, event: EventOf<"TOOL_PROPOSED">): void {
  const call = state.calls.get(event.payload.toolCallId) ?? addStepCall(state, event.payload);
  if (!call) return;
  call.proposal = { ...event.payload, seq: event.seq, ts: event.ts };
  if (call.decision?.decision === "edit") {
    call.edit = call.decision;
    call.input = call.decision.input;
  }
  call.decision = undefined;
}

function decided(state: RunState, event: EventOf<"APPROVAL_DECIDED">): void {
  const { itemId, decision, scope, grant, until } = event.payload;
  const isYes = decision !== "reject" && decision !== "expire";
  state.decisions.set(itemId, { ...event.payload, ts: event.ts });
  if (isYes && scope && scope !== "once" && grant) state.grants.push({ rule: grant, scope, until });
  if (itemId.startsWith("loop/"))
    state.guard = { ...state.guard, signature: "", repeats: 0, refused: 0, empty: 0 };
  for (const call of state.calls.values()) {
    if (call.proposal?.verdict === "ask" && itemIdOf(call) === itemId) {
      call.decision = { ...event.payload, ts: event.ts };
    }
  }
}

function started(state: RunState, event: EventOf<"TOOL_STARTED">): void {
  const call = state.calls.get(event.payload.toolCallId);
  if (!call) return;
  call.attempts = event.payload.attempt ?? 1;
  call.started = { ...event.payload, ts: event.ts };
  call.verdict = undefined;
  working(state);
}

function result(state: RunState, event: EventOf<"TOOL_RESULT">): void {
  const { toolCallId: id, files, seen, isError, recorded } = event.payload;
  if (recorded) state.usedRecordings.add(`${recorded.runId}#${recorded.seq}`);
  for (const { path, change } of files ?? [])
    if (change !== "modified" || !state.files.has(path)) state.files.set(path, change);
  if (seen) state.seenFiles.set(seen.path, seen.fingerprint);
  const call = state.calls.get(id);
  if (!call) return;
  const { output } = event.payload;
  const outcome = event.payload.outcome ?? (isError ? "error" : "ok");
  call.result = { outcome, output, seq: event.seq };
  recordFacts(state, call, call.result);
  if (call.isStep) return;
  if ((call.name === FINAL_REPORT || call.name === CONCLUDE_TEAM) && outcome === "error")
    state.guard.badReports++;
  if (outcome === "denied" && call.proposal?.verdict !== "ask") state.guard.refused++;
  else if (outcome === "ok") state.guard.refused = 0;
}

function childStarted(state: RunState, { payload, ts }: EventOf<"CHILD_RUN_STARTED">): void {
  addChild(state.children, payload, ts - state.suspendedTime.ms);
  working(state);
  // H2: whatever comes now is for whoever has the work, also where a crash came before the word that it is waited for.
  if (payload.trigger === "handoff") state.isClosing = true;
}

/** D0: for the call that waits for it, a child's end is its one result; a failure that will be tried again is none. */
function childCompleted(state: RunState, event: EventOf<"CHILD_RUN_COMPLETED">): void {
  const child = endChild(state.children, event.payload);
  if (!child) return;
  const { key, success, result } = event.payload;
  for (const path of result.files_created) state.files.set(path, "created");
  for (const path of result.files_modified) if (!state.files.has(path)) state.files.set(path, "modified");
  const { tests_run: run, tests_passed: passed } = result;
  if (run !== null && passed !== null) state.tests = { run, passed };
  const call = state.calls.get(key);
  if (!call || call.result || mayBeRetried(child)) return;
  const output = { ...result, child_run_id: child.runId };
  call.result = { outcome: success ? "ok" : "error", output, seq: event.seq };
  if (success) state.guard.refused = 0;
}
