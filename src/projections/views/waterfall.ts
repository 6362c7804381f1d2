// Shows what a run did or waited for at every moment: "where did the three hours go?" (U08).
//  T3  The spans of a run cover its whole duration, without gaps or overlaps.
//  T4  Nothing is guessed. If the next driver finds an open call, the time of the call is `lost`: the journal does not say when the process died.
//      A run that is due and has no open call is `queued`, whatever the reason.

import type { JournalEvent, Payload, WaitingOn } from "../../journal/events.ts";
import type { Projection } from "../projection.ts";
import { describeCallById, emptyNames, learnNames, type Names, timelineEntry } from "./timeline.ts";

export const ACTIVITIES = [
  "model",
  "tool",
  "person",
  "provider",
  "child",
  "timer",
  "queued",
  "lost",
] as const;
export type Activity = (typeof ACTIVITIES)[number];

export interface Span {
  activity: Activity;
  from: number;
  /** The end of the span. Absent as long as the span has not ended. */
  to?: number;
  /** `seq` of the event with which the span began. */
  seq: number;
  label: string;
  /** True if the run waits for runs below it. */
  below?: true;
}

export interface Waterfall {
  spans: Span[];
  at: number;
  model: string | undefined;
  /** Descriptions of the running calls, by call id. */
  tools: Map<string, string>;
  waits: Wait | undefined;
  /** Children that are awaited by a call. */
  children: Set<string>;
  names: Names;
}

interface Wait {
  activity: Activity;
  label: string;
  /** Items that must arrive before the wait ends. If empty, any event can end the wait. */
  items: Set<string>;
  below: boolean;
}

export const waterfallProjection: Projection<Waterfall> = {
  name: "waterfall",
  initial: () => ({
    spans: [],
    at: 0,
    model: undefined,
    tools: new Map(),
    waits: undefined,
    children: new Set(),
    names: emptyNames(),
  }),
  apply: applyWaterfall,
};

export function applyWaterfall(state: Waterfall, event: JournalEvent): Waterfall {
  // If the clock was set back, time must not run backwards in the spans.
  state.at = Math.max(state.at, event.ts);
  learnNames(state.names, event);
  switch (event.type) {
    case "MODEL_CALL_STARTED":
      state.model = modelLabel(event.payload);
      state.waits = undefined;
      break;
    case "AGENT_THOUGHT":
      state.model = undefined;
      break;
    case "MODEL_CALL_FAILED":
      modelFailed(state, event.payload);
      break;
    case "TOOL_STARTED":
      if (state.tools.has(event.payload.toolCallId)) markLost(state);
      state.tools.set(event.payload.toolCallId, describeCallById(state.names, event.payload.toolCallId));
      state.waits = undefined;
      break;
    case "TOOL_RESULT":
      state.tools.delete(event.payload.toolCallId);
      break;
    case "RUN_SUSPENDED":
      startWait(state, event);
      break;
    case "RUN_RESUMED":
      state.waits = undefined;
      break;
    case "APPROVAL_DECIDED":
      arrive(state, event.payload.itemId);
      break;
    case "OUTCOME_DECIDED":
      arrive(state, `outcome/${event.payload.toolCallId}`);
      break;
    case "CHILD_RUN_STARTED":
      if (event.payload.awaited !== false) state.children.add(event.payload.child_run_id);
      break;
    case "CHILD_RUN_COMPLETED":
      state.children.delete(event.payload.child_run_id);
      if (state.waits?.below) arrive(state, event.payload.child_run_id);
      break;
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED":
      endSpan(state);
      return state;
    default:
  }
  updateSpans(state, event.seq);
  return state;
}

function modelLabel({ model, purpose, attempt = 1 }: Payload<"MODEL_CALL_STARTED">): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  return `${model}${purpose === undefined || purpose === "turn" ? "" : ` (${purpose})`}${again}`;
}

function modelFailed(state: Waterfall, payload: Payload<"MODEL_CALL_FAILED">): void {
  // A later driver wrote this event, because it found the call open. It does not know how long the call took.
  if (payload.cause === "interrupted" && payload.ms === undefined) markLost(state);
  state.model = undefined;
  if (payload.retryAt === undefined || state.waits) return;
  state.waits = { activity: "provider", label: payload.message, items: new Set(), below: false };
}

function startWait(state: Waterfall, event: Extract<JournalEvent, { type: "RUN_SUSPENDED" }>): void {
  const { waitingOn, blocked_by_child_run_id: child } = event.payload;
  if (waitingOn.kind === "outcome_unknown" && state.tools.size > 0) {
    markLost(state);
    state.tools.clear();
  }
  state.waits = {
    activity: WAITS[waitingOn.kind],
    label: timelineEntry(event)?.title ?? "Waiting",
    items: new Set(waitingOn.items?.map((item) => item.replace(/^(outcome\/.*)~\d+$/, "$1"))),
    below: BELOW.has(waitingOn.kind) || child !== undefined,
  };
}

const WAITS: Record<WaitingOn["kind"], Activity> = {
  child: "child",
  handoff: "child",
  timer: "timer",
  provider: "provider",
  slot: "queued",
  approval: "person",
  child_hitl: "person",
  question: "person",
  outcome_unknown: "person",
  budget: "person",
  loop: "person",
  storage: "person",
  definition_changed: "person",
  quarantine: "person",
  paused: "person",
};

const BELOW: ReadonlySet<string> = new Set(["child", "handoff", "child_hitl"]);

/** Removes an item that has arrived. The wait ends with the last item. */
function arrive(state: Waterfall, item: string): void {
  state.waits?.items.delete(item);
  if (state.waits?.items.size === 0) state.waits = undefined;
}

/** Marks the open span as lost: the process that worked on it died. */
function markLost({ spans }: Waterfall): void {
  const open = spans.at(-1);
  if (!open || open.to !== undefined) return;
  open.activity = "lost";
  open.label = `The process ended in here: ${open.label}`;
}

function updateSpans(state: Waterfall, seq: number): void {
  const { activity, label, below } = current(state);
  const open = state.spans.at(-1);
  if (open?.activity === activity && open.label === label && open.to === undefined) return;
  endSpan(state);
  state.spans.push({ activity, from: state.at, seq, label, ...(below ? { below: true } : {}) });
}

function endSpan({ spans, at }: Waterfall): void {
  const open = spans.at(-1);
  if (!open || open.to !== undefined) return;
  open.to = at;
  if (open.from === at) spans.pop();
}

function current({ model, tools, waits, children }: Waterfall): Omit<Wait, "items"> {
  if (model !== undefined) return { activity: "model", label: model, below: false };
  if (tools.size > 0) return { activity: "tool", label: [...tools.values()].join(" · "), below: false };
  if (waits) return waits;
  if (children.size > 0) return { activity: "child", label: "Waiting for its children", below: true };
  return { activity: "queued", label: "Due: waiting for a driver", below: false };
}
