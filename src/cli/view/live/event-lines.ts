// Describes an event in one line. Also decides which events get no line, because another part of the screen shows them.

import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../../journal/events.ts";
import { isMergeCall } from "../../../projections/folds/child-runs.ts";
import { FINAL_REPORT } from "../../../projections/folds/run-state.ts";
import {
  describeCall,
  describeChildEnd,
  describeForkOrigin,
  type TimelineEntry,
} from "../../../projections/views/timeline.ts";
import { duration, plural } from "../../../projections/words/format.ts";
import { CALL_OUTCOMES } from "../../../projections/words/tool-outcomes.ts";
import { type Paint, type Screen, truncate } from "../screen.ts";
import { plainLine } from "../text/plain.ts";
import { nextAttempt } from "./activity.ts";
import type { LiveRun, LiveTree } from "./live-tree.ts";

/** Whether the screen already shows the event: in the status lines, the summary, the parent run or the previous line. */
export function isShownElsewhere(event: JournalEvent): boolean {
  if (event.type === "RUN_SUSPENDED") return QUIET_WAITS.has(event.payload.waitingOn.kind);
  if (event.type === "CANCEL_REQUESTED") return event.payload.via !== undefined;
  return event.type === "TOOL_STARTED" || event.type === "RUN_RESUMED" || TERMINAL_TYPES.has(event.type);
}

const QUIET_WAITS: ReadonlySet<string> = new Set(["approval", "child", "child_hitl"]);

/** Whether the drawing of the tree or the card of a question already shows this event of the top run. */
export function isShownByTree({ type, payload }: JournalEvent): boolean {
  if (type === "TOOL_PROPOSED") return payload.verdict === "ask";
  return type === "CHILD_RUN_STARTED" || type === "CHILD_RUN_COMPLETED";
}

/** Whether an event of a descendant is important enough for its own line. The drawing already shows the descendant's status. */
export function isNews(event: JournalEvent): boolean {
  if (event.type === "TOOL_PROPOSED") return event.payload.verdict === "deny";
  if (event.type === "CONTEXT_ADDED") return event.payload.source === "person";
  if (event.type === "HOOKS_ENDED") return event.payload.reason !== undefined;
  return NEWS.has(event.type);
}

const NEWS: ReadonlySet<string> = new Set([
  "APPROVAL_DECIDED",
  "OUTCOME_DECIDED",
  "PERSON_ASKED",
  "OUTCOME_PROBED",
  "LIMIT_REACHED",
  "BUDGET_SET",
  "SYSTEM_ERROR",
  "CANCEL_REQUESTED",
]);

export interface LineContext {
  run: LiveRun;
  event: JournalEvent;
  entry: TimelineEntry;
  tree: LiveTree;
}

/** Returns the event's title from the timeline, plus details for a person who watches the run live. */
export function eventLines({ run, event, entry, tree }: LineContext, screen: Screen): string[] {
  const { paint } = screen;
  const withTitle = (title: string): string[] => [paintEntry({ ...entry, title }, paint)];
  switch (event.type) {
    case "RUN_STARTED":
      return [run === tree.top ? headline(event, paint) : paint("dim", `run ${event.runId}`)];
    case "TOOL_RESULT":
      return resultLines(run, event, entry, screen);
    case "MODEL_CALL_FAILED":
      return withTitle(`${entry.title}${nextTry(run, event)}`);
    case "CHILD_RUN_COMPLETED": {
      // All lines about a child use its numbered name, such as `worker#2`.
      const child = tree.runs.get(event.payload.child_run_id);
      return withTitle(child ? describeChildEnd(child.name, event.payload) : entry.title);
    }
    default:
      return [paintEntry(entry, paint)];
  }
}

const TONES = { plain: undefined, good: "green", bad: "red", warn: "yellow", quiet: "dim" } as const;

export function paintEntry({ tone, title }: TimelineEntry, paint: Paint): string {
  const format = TONES[tone];
  return format === undefined ? plainLine(title) : paint(format, plainLine(title));
}

function headline({ payload, runId }: EventOf<"RUN_STARTED">, paint: Paint): string {
  const before =
    payload.continues && !payload.fork ? ` · continues ${plainLine(payload.continues.runId)}` : "";
  const fork = payload.fork ? ` ${plainLine(describeForkOrigin(payload))}` : "";
  return `${paint("bold", plainLine(payload.agent))} ${paint("dim", `· run ${runId}${before}${fork}`)}`;
}

function resultLines(
  { timeline }: LiveRun,
  event: EventOf<"TOOL_RESULT">,
  entry: TimelineEntry,
  { rich, columns, paint }: Screen,
): string[] {
  const call = timeline.names.calls.get(event.payload.toolCallId);
  if (call?.tool === FINAL_REPORT) return [];
  if (isMergeCall(event.payload.toolCallId)) return [paintEntry(entry, paint)];
  const first = firstLine(event.payload.output, rich ? columns - 30 : LONGEST);
  const title = rich && call ? markResult(event, describeCall(call.tool, call.input)) : entry.title;
  return [paintEntry({ ...entry, title }, paint), ...(first === "" ? [] : [paint("dim", `  ${first}`)])];
}

function nextTry({ state }: LiveRun, { ts, payload }: EventOf<"MODEL_CALL_FAILED">): string {
  const wait = payload.retryAt === undefined ? 0 : payload.retryAt - ts;
  return wait > 0 ? ` · attempt ${nextAttempt(state)} in ${duration(wait)}` : "";
}

function markResult({ payload }: EventOf<"TOOL_RESULT">, what: string): string {
  const outcome = payload.outcome ?? (payload.isError ? "error" : "ok");
  if (payload.recorded) return `↺ ${what} (not done again: as recorded)`;
  if (outcome === "ok") return `✓ ${what}`;
  return outcome === "error" ? `✗ ${what}` : `✗ ${what} (${CALL_OUTCOMES[outcome].label})`;
}

const LONGEST = 140;

/** Shortens a result to its first line and the number of further lines. Keeps the last line of a command, such as `[exit 1]`. */
function firstLine(output: unknown, cells: number): string {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const end = lines.length > 1 && /^\[.*\]$/.test(lines.at(-1)!) ? ` ${plainLine(lines.pop()!)}` : "";
  const more = lines.length > 1 ? ` (+${plural(lines.length - 1, "line")})` : "";
  return `${truncate(plainLine(lines[0] ?? ""), Math.max(20, cells))}${more}${end}`;
}
