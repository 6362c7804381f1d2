// Re-decides journals with the code and the rules of today. What models, tools, people and time answered stands as it was
// recorded; what followed from it is decided again, and held against what the journal says.
//  1  Nothing is written, asked of a model or done.
//  2  Verdicts on calls are judged anew by the rules of now; where a person's grant decided, and where other agents'
//     files do (delegations, messages), the recorded one stands.

import type { RunId } from "../ids.ts";
import type { Definition, Effect } from "../journal/definition.ts";
import type { EventOf, JournalEvent } from "../journal/events.ts";
import { keyOf } from "../journal/keys.ts";
import type { Action } from "../patterns/action.ts";
import { reportTool } from "../patterns/team-seat.ts";
import { GRANTED } from "../permissions/permission.ts";
import { applyRunState, emptyRunState } from "../projections/run-state.ts";
import { followTaint } from "../projections/taint.ts";
import { ASK_USER, effectiveInput } from "../projections/tool-call.ts";
import { applyTranscript, emptyTranscript } from "../projections/transcript.ts";
import { eventsBefore } from "./continued.ts";
import { decide } from "./decide.ts";
import { isDelegation } from "./delegation.ts";
import { isErrand } from "./errands.ts";
import { RECEIVED } from "./finish.ts";
import type { LoopParts } from "./parts.ts";
import { attended, judgeCall } from "./propose.ts";
import { loadDefinition, type RunView } from "./run-journal.ts";

export interface ReplayParts
  extends Pick<LoopParts, "store" | "models" | "judge" | "authority" | "loadSteps"> {
  decide?: typeof decide;
}

/** The first decision that would be another one now. */
export interface Divergence {
  runId: RunId;
  agent: string;
  seq: number;
  position: number;
  recorded: string;
  now: string;
}

export interface Replayed {
  runs: number;
  events: number;
  /** That were made again. */
  decisions: number;
  divergence?: Divergence | undefined;
}

/** The earliest divergence of these runs, in the order in which their events were committed. */
export async function replayRuns(runIds: readonly RunId[], parts: ReplayParts): Promise<Replayed> {
  const replays = [];
  for (const runId of runIds) replays.push(await replayRun(await parts.store.journal(runId), parts));
  const diverged = replays.flatMap(({ divergence }) => divergence ?? []);
  return {
    runs: replays.length,
    events: replays.reduce((sum, { events }) => sum + events, 0),
    decisions: replays.reduce((sum, { decisions }) => sum + decisions, 0),
    divergence: diverged.toSorted((left, right) => left.position - right.position)[0],
  };
}

async function replayRun(journal: readonly JournalEvent[], parts: ReplayParts) {
  const view = await emptyView(journal[0], parts);
  let decisions = 0;
  let action: Action | undefined;
  for (const event of journal) {
    if (isDecided(event, view)) {
      decisions++;
      if (!action || !goesOn(action, event)) action = await decideNow(view, event, parts);
      const other = fits(action, event) ? otherVerdict(view, event, parts) : describe(action);
      if (other !== undefined)
        return { events: journal.length, decisions, divergence: diverged(view, event, other) };
    }
    applyRunState(view.state, event);
    applyTranscript(view.transcript, event);
  }
  return { events: journal.length, decisions, divergence: undefined };
}

async function emptyView(first: JournalEvent | undefined, { store }: ReplayParts): Promise<RunView> {
  const start = (first as EventOf<"RUN_STARTED">).payload;
  const definition: Definition = await loadDefinition(store, start.definition);
  const view = { state: emptyRunState(), transcript: emptyTranscript(), definition };
  for (const event of await eventsBefore(store, start)) {
    applyTranscript(view.transcript, event);
    followTaint(view.state.taint, event);
  }
  return view;
}

const DEFAULT_WINDOW = 128_000;

async function decideNow(view: RunView, { ts: now }: JournalEvent, parts: ReplayParts): Promise<Action> {
  const { state, definition } = view;
  const steps = definition.steps && !state.cancel ? await parts.loadSteps(definition.steps) : undefined;
  const model = state.latest?.model ?? definition.models[0]!;
  const contextWindow = parts.models.contextWindow(model) ?? DEFAULT_WINDOW;
  return (parts.decide ?? decide)({ ...view, ...(steps ? { steps } : {}) }, { now, contextWindow });
}

/** Waits that the world brought about: a provider, a place at work, a person's pause, a run that could not be driven. */
const GIVEN_WAITS = new Set(["provider", "slot", "paused", "quarantine", "definition_changed", "child_hitl"]);

/** What follows from the journal before it, as opposed to what came from outside. */
function isDecided(event: JournalEvent, view: RunView): boolean {
  switch (event.type) {
    case "MODEL_CALL_STARTED":
    case "TOOL_STARTED":
    case "TEAM_ROUND_STARTED":
    case "STEP_YIELDED":
    case "CHILD_RUN_STARTED":
    case "RUN_COMPLETED":
      return true;
    case "TOOL_PROPOSED":
      // Another round comes of files or rules that had changed.
      return (event.payload.round ?? 1) === 1;
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return event.payload.stopReason !== "orphaned";
    case "RUN_SUSPENDED":
      return !GIVEN_WAITS.has(event.payload.waitingOn.kind);
    case "RUN_RESUMED":
      return /^resumed\/\d{1,6}$/.test(event.key);
    case "TOOL_RESULT":
      // The end answers the report that it comes of.
      return event.payload.output === RECEIVED && isReport(event.payload.toolCallId, view);
    default:
      return false;
  }
}

const isReport = (callId: string, view: RunView): boolean =>
  view.state.calls.get(callId)?.name === reportTool(view);

/** One action may have written several events, with others' in between. */
function goesOn(action: Action, event: JournalEvent): boolean {
  // After its report is answered a run ends, and does nothing else.
  if (action.type === "end") return true;
  return SEVERAL.has(action.type) && fits(action, event);
}

const SEVERAL: ReadonlySet<Action["type"]> = new Set([
  "propose",
  "propose-made",
  "run-tools",
  "start-children",
  "start-runs",
  "record",
]);

function fits(action: Action, event: JournalEvent): boolean {
  switch (event.type) {
    case "MODEL_CALL_STARTED": {
      const { callId, attempt = 1, model, purpose = "turn" } = event.payload;
      if (action.type !== "call-model") return false;
      return same(
        [callId, attempt, model, purpose],
        [action.callId, action.attempt, action.model, action.purpose],
      );
    }
    case "TOOL_PROPOSED":
      return action.type === "propose-made"
        ? action.calls.some(({ id }) => id === event.payload.toolCallId)
        : action.type === "propose" && action.calls.includes(event.payload.toolCallId);
    case "TOOL_STARTED": {
      const { toolCallId } = event.payload;
      if (action.type === "run-errand") return action.call === toolCallId;
      return action.type === "run-tools" && action.calls.includes(toolCallId);
    }
    case "CHILD_RUN_STARTED":
      if (action.type === "start-runs") return action.runs.some(({ key }) => key === event.payload.key);
      return action.type === "start-children" && action.calls.includes(event.payload.key);
    case "RUN_SUSPENDED": {
      if (action.type !== "suspend" && action.type !== "cancel-children") return false;
      const { kind, items } = event.payload.waitingOn;
      return same([kind, items], [action.waitingOn.kind, action.waitingOn.items]);
    }
    case "RUN_RESUMED":
      return action.type === "resume";
    case "TOOL_RESULT":
      return action.type === "end";
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED": {
      if (action.type !== "end") return false;
      const { stopReason, summary, output, result } = event.payload;
      const { ending } = action;
      return same(
        [result.status, stopReason, summary, output],
        [ending.status, ending.stopReason, ending.summary, ending.output],
      );
    }
    default:
      return action.type === "record" && action.events.some((body) => isSame(body, event));
  }
}

const isSame = (body: { type: string; payload: unknown; key?: string }, event: JournalEvent): boolean =>
  keyOf(body as JournalEvent) === event.key && same(body.payload, event.payload);

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** What the rules of now say of a call, where that is something else than what was recorded. */
function otherVerdict(view: RunView, event: JournalEvent, parts: ReplayParts): string | undefined {
  if (event.type !== "TOOL_PROPOSED") return undefined;
  const { toolCallId, name, effect, verdict, rule, input } = event.payload;
  if (
    isDelegation(name) ||
    name === "delegate" ||
    isErrand(name) ||
    name === ASK_USER ||
    rule.startsWith(GRANTED)
  )
    return undefined;
  const call = view.state.calls.get(toolCallId);
  const asked = call ? effectiveInput(call) : input;
  const now = attended(judged(name, asked, effect, view, parts, event.ts), view);
  return now.verdict === verdict ? undefined : `${now.verdict} ${name} (${now.rule})`;
}

function judged(name: string, input: unknown, effect: Effect, view: RunView, parts: ReplayParts, ts: number) {
  const clock = { now: () => ts };
  return judgeCall({ name }, input, effect, view.state.grants, view, { ...parts, clock });
}

const diverged = ({ state, definition }: RunView, event: JournalEvent, now: string): Divergence => ({
  runId: event.runId,
  agent: state.start?.agent ?? definition.name,
  seq: event.seq,
  position: event.position,
  recorded: recordedWords(event),
  now,
});

function recordedWords(event: JournalEvent): string {
  switch (event.type) {
    case "MODEL_CALL_STARTED":
      return `call-model ${event.payload.callId} (${event.payload.model})`;
    case "TOOL_PROPOSED":
      return `${event.payload.verdict} ${event.payload.name} (${event.payload.rule})`;
    case "TOOL_STARTED":
      return `run-tools ${event.payload.toolCallId}`;
    case "CHILD_RUN_STARTED":
      return `start ${event.payload.agent_type} (${event.payload.key})`;
    case "RUN_SUSPENDED":
      return `suspend: ${event.payload.waitingOn.kind}`;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return `end: ${event.payload.result.status}, ${event.payload.stopReason}: ${event.payload.summary}`;
    default:
      return event.type;
  }
}

function describe(action: Action): string {
  switch (action.type) {
    case "call-model":
      return `call-model ${action.callId} (${action.model})`;
    case "end":
      return `end: ${action.ending.status}, ${action.ending.stopReason}: ${action.ending.summary}`;
    case "suspend":
      return `suspend: ${action.waitingOn.kind}`;
    case "propose":
    case "run-tools":
    case "start-children":
      return `${action.type} ${action.calls.join(", ")}`;
    case "start-runs":
      return `start ${action.runs.map(({ key }) => key).join(", ")}`;
    case "record":
      return `record ${action.events.map(({ type }) => type).join(", ")}`;
    default:
      return action.type;
  }
}
