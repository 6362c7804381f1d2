// A run as it happens: one line for each thing that a person would want to know, words as they stream, and a status
// line for what goes on right now. Folds the same journal with the same words as every other reader.

import type { Delta } from "../../journal/deltas.ts";
import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { textOf } from "../../journal/message.ts";
import { applyRunState, emptyRunState, FINAL_REPORT, type RunState } from "../../projections/run-state.ts";
import {
  applyTimeline,
  describeCall,
  type TimelineEntry,
  timelineProjection,
} from "../../projections/timeline.ts";
import { createDoing, nextAttempt } from "./doing.ts";
import { count, duration } from "./format.ts";
import { plainLine } from "./plain.ts";
import { fitted, type Paint, type Screen } from "./screen.ts";
import { createWords } from "./words.ts";

export interface LiveView {
  readonly state: RunState;
  event(event: JournalEvent): void;
  delta(delta: Delta): void;
  /** Draws the status line anew; call it now and then. */
  tick(now: number): void;
  /** Takes the status line away. */
  rest(): void;
  /** The text that was shown last, so that an end does not say it twice. */
  lastWords(): string;
}

export function createLiveView(screen: Screen): LiveView {
  const state = emptyRunState();
  const timeline = timelineProjection.initial();
  const words = createWords(screen);
  const doing = createDoing(state);
  let model = "";

  function show(event: JournalEvent, entry: TimelineEntry | undefined): void {
    if (event.type === "RUN_STARTED") screen.line(headline(event, screen.paint));
    else if (event.type === "MODEL_CALL_STARTED") {
      words.expect(event.payload.callId, event.payload.attempt ?? 1);
      if (event.payload.model !== model)
        screen.line(screen.paint("dim", `model ${modelLabel(event.payload.model)}`));
      model = event.payload.model;
    } else if (event.type === "AGENT_THOUGHT") words.settle(textOf(event.payload.content));
    else if (event.type === "TOOL_RESULT") resultLines(event, entry);
    else if (event.type === "MODEL_CALL_FAILED" && entry) failureLine(event, entry);
    else if (entry && !isToldOtherwise(event)) screen.line(toned(entry, screen.paint));
  }

  function failureLine({ ts, payload }: EventOf<"MODEL_CALL_FAILED">, entry: TimelineEntry): void {
    const wait = payload.retryAt === undefined ? 0 : payload.retryAt - ts;
    const next = wait > 0 ? ` · attempt ${nextAttempt(state)} in ${duration(wait)}` : "";
    screen.line(toned({ ...entry, title: `${entry.title}${next}` }, screen.paint));
  }

  function resultLines(event: EventOf<"TOOL_RESULT">, entry: TimelineEntry | undefined): void {
    const call = timeline.names.calls.get(event.payload.toolCallId);
    if (call?.tool === FINAL_REPORT || !entry) return;
    const first = firstLine(event.payload.output, screen.rich ? screen.columns - 30 : LONGEST);
    const title = screen.rich && call ? marked(event, describeCall(call.tool, call.input)) : entry.title;
    screen.line(toned({ ...entry, title }, screen.paint));
    if (first !== "") screen.line(screen.paint("dim", `  ${first}`));
  }

  return {
    state,
    event(event) {
      applyRunState(state, event);
      const before = timeline.entries.length;
      applyTimeline(timeline, event);
      doing.event(event, timeline.names.calls);
      show(event, timeline.entries[before]);
    },
    delta(delta) {
      if (delta.runId !== state.runId) return;
      if (delta.type === "text.delta") words.piece(delta);
      if (delta.type === "tool-output.delta") doing.output(delta.text);
    },
    tick: (now) => screen.status(doing.text(now)),
    rest: () => screen.status(undefined),
    lastWords: words.last,
  };
}

/** What the status line, the summary or the line before it says already. */
function isToldOtherwise(event: JournalEvent): boolean {
  if (event.type === "RUN_SUSPENDED") return event.payload.waitingOn.kind === "approval";
  return event.type === "TOOL_STARTED" || event.type === "RUN_RESUMED" || TERMINAL_TYPES.has(event.type);
}

/** What a model is called wherever its words are shown. */
export function modelLabel(model: string): string {
  const name = plainLine(model);
  return name.startsWith("scripted/") ? `${name} (scripted)` : name;
}

function headline({ payload, runId }: EventOf<"RUN_STARTED">, paint: Paint): string {
  const before = payload.continues ? ` · continues ${plainLine(payload.continues.runId)}` : "";
  return `${paint("bold", plainLine(payload.agent))} ${paint("dim", `· run ${runId}${before}`)}`;
}

const TONES = { plain: undefined, good: "green", bad: "red", warn: "yellow", quiet: "dim" } as const;

export function toned({ tone, title }: TimelineEntry, paint: Paint): string {
  const format = TONES[tone];
  return format === undefined ? plainLine(title) : paint(format, plainLine(title));
}

function marked({ payload }: EventOf<"TOOL_RESULT">, what: string): string {
  const outcome = payload.outcome ?? (payload.isError ? "error" : "ok");
  if (outcome === "ok") return `✓ ${what}`;
  return outcome === "error" ? `✗ ${what}` : `✗ ${what} (${outcome.replace("_", " ")})`;
}

/** The first line of a result, how many more there are, and the mark with which a command ends. */
function firstLine(output: unknown, cells: number): string {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const end = lines.length > 1 && /^\[.*\]$/.test(lines.at(-1)!) ? ` ${plainLine(lines.pop()!)}` : "";
  const more = lines.length > 1 ? ` (+${count(lines.length - 1, "line")})` : "";
  return `${fitted(plainLine(lines[0] ?? ""), Math.max(20, cells))}${more}${end}`;
}

const LONGEST = 140;
