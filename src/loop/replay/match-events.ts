// Finds out which events of a journal record a decision, and whether an action explains an event. Pure.

import { type EventBody, type JournalEvent, keyOf, type Payload } from "../../journal/events.ts";
import type { Action, PatternRun } from "../../patterns/action.ts";
import { reportTool } from "../../patterns/team-role.ts";
import { isMergeCall, mergeCallId } from "../../projections/folds/child-runs.ts";
import type { RunView } from "../drive/decide-turn.ts";

/** Kinds of waits with an outside cause, for example a provider, a missing slot or a person's pause. */
const GIVEN_WAITS = new Set(["provider", "slot", "paused", "quarantine", "definition_changed", "child_hitl"]);

/** True if `decide` chose the event by the earlier journal alone. All other events come from outside, such as answers and signals. */
export function isDecided(event: JournalEvent, view: RunView): boolean {
  // A program makes its calls itself, so they do not follow from the journal.
  if (view.definition.runner && (event.type === "TOOL_PROPOSED" || event.type === "TOOL_STARTED"))
    return false;
  switch (event.type) {
    case "MODEL_CALL_STARTED":
    case "TOOL_STARTED":
    case "TEAM_ROUND_STARTED":
    case "STEP_YIELDED":
    case "CHILD_RUN_STARTED":
    case "RUN_COMPLETED":
      return true;
    case "TOOL_PROPOSED":
      // Whether a person is asked about a merge depends on the configuration and on git.
      if (isMergeCall(event.payload.toolCallId)) return false;
      // A call is proposed again only if files or rules have changed.
      return (event.payload.round ?? 1) === 1;
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return event.payload.stopReason !== "orphaned";
    case "RUN_SUSPENDED":
      return !GIVEN_WAITS.has(event.payload.waitingOn.kind);
    case "RUN_RESUMED":
      return /^resumed\/\d{1,6}$/.test(event.key);
    case "TOOL_RESULT":
      // The result of an accepted report is recorded only when the report ends the run.
      return !event.payload.isError && isReport(event.payload.toolCallId, view);
    default:
      return false;
  }
}

const isReport = (callId: string, view: RunView): boolean =>
  view.state.calls.get(callId)?.name === reportTool(view);

/** Whether an event belongs to the same action as the previous decided event. Events of other writers can be in between. */
export function continuesAction(action: Action, event: JournalEvent): boolean {
  // Once the run's report has its result, the run ends and does nothing else.
  if (action.type === "end") return true;
  return SEVERAL.has(action.type) && matchesEvent(action, event);
}

const SEVERAL: ReadonlySet<Action["type"]> = new Set([
  "propose",
  "propose-made",
  "run-tools",
  "start-children",
  "start-runs",
  "record",
]);

export function matchesEvent(action: Action, event: JournalEvent): boolean {
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
      if (action.type === "run-builtin") return action.call === toolCallId;
      if (action.type === "merge-own") return isMergeCall(toolCallId);
      if (action.type === "merge-child") return toolCallId === mergeCallId(action.runId);
      return action.type === "run-tools" && action.calls.includes(toolCallId);
    }
    case "CHILD_RUN_STARTED":
      if (action.type === "start-runs") return action.runs.some((run) => isRun(run, event.payload));
      return action.type === "start-children" && action.calls.includes(event.payload.key);
    case "RUN_SUSPENDED": {
      if (action.type !== "suspend" && action.type !== "cancel-children") return false;
      const { kind, items } = event.payload.waitingOn;
      return same([kind, items], [action.waitingOn.kind, action.waitingOn.items]);
    }
    case "RUN_RESUMED":
      return action.type === "resume";
    case "TOOL_RESULT":
      return action.type === "end" || isRecorded(action, event);
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
      return isRecorded(action, event);
  }
}

const isRun = ({ key, agent }: PatternRun, started: Payload<"CHILD_RUN_STARTED">): boolean =>
  key === started.key && nameOf(agent) === started.agent_type;

const nameOf = (agent: PatternRun["agent"]): string => (typeof agent === "string" ? agent : agent.name);

const isRecorded = (action: Action, event: JournalEvent): boolean =>
  action.type === "record" &&
  action.events.some((body) => keyOf(body) === event.key && same(body.payload, event.payload));

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

export function describeEvent(event: JournalEvent): string {
  switch (event.type) {
    case "MODEL_CALL_STARTED":
      return modelWords(event.payload);
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

const modelWords = ({ callId, model, purpose = "turn" }: Payload<"MODEL_CALL_STARTED">): string =>
  `call-model ${callId} (${purpose === "turn" ? model : `${model}, ${purpose}`})`;

export function describeAction(action: Action): string {
  switch (action.type) {
    case "call-model":
      return modelWords(action);
    case "end":
      return `end: ${action.ending.status}, ${action.ending.stopReason}: ${action.ending.summary}`;
    case "suspend":
      return `suspend: ${action.waitingOn.kind}`;
    case "propose":
    case "run-tools":
    case "start-children":
      return `${action.type} ${action.calls.join(", ")}`;
    case "start-runs":
      return `start ${action.runs.map(({ agent, key }) => `${nameOf(agent)} (${key})`).join(", ")}`;
    case "record":
      return `record ${action.events.map(eventWords).join(", ")}`;
    default:
      return action.type;
  }
}

const eventWords = (event: EventBody): string =>
  event.type === "LIMIT_REACHED" ? `${event.type} ${event.payload.limit}` : event.type;
