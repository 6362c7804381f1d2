// What is said of an event in one line, and which events need none because something else on the screen tells of them.

import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { TimelineEntry } from "../../projections/timeline.ts";
import { count } from "./format.ts";
import { plainLine } from "./plain.ts";
import { fitted, type Paint } from "./screen.ts";

/** What the last lines, the summary, the parent or the line before it says already. */
export function isToldOtherwise(event: JournalEvent): boolean {
  if (event.type === "RUN_SUSPENDED") return QUIET_WAITS.has(event.payload.waitingOn.kind);
  if (event.type === "CANCEL_REQUESTED") return event.payload.via !== undefined;
  return event.type === "TOOL_STARTED" || event.type === "RUN_RESUMED" || TERMINAL_TYPES.has(event.type);
}

const QUIET_WAITS: ReadonlySet<string> = new Set(["approval", "child", "child_hitl"]);

/** What a drawing of the tree shows of its top. */
export const isToldByTree = ({ type }: JournalEvent): boolean =>
  type === "CHILD_RUN_STARTED" || type === "CHILD_RUN_COMPLETED";

/** What is worth a line of its own although a drawing of the tree shows how the run stands. */
export function isNews(event: JournalEvent): boolean {
  if (event.type === "TOOL_PROPOSED") return event.payload.verdict === "deny";
  if (event.type === "CONTEXT_ADDED") return event.payload.source === "person";
  return NEWS.has(event.type);
}

const NEWS: ReadonlySet<string> = new Set([
  "APPROVAL_DECIDED",
  "OUTCOME_DECIDED",
  "LIMIT_REACHED",
  "SYSTEM_ERROR",
  "CANCEL_REQUESTED",
]);

export function headline({ payload, runId }: EventOf<"RUN_STARTED">, paint: Paint): string {
  const before = payload.continues ? ` · continues ${plainLine(payload.continues.runId)}` : "";
  return `${paint("bold", plainLine(payload.agent))} ${paint("dim", `· run ${runId}${before}`)}`;
}

const TONES = { plain: undefined, good: "green", bad: "red", warn: "yellow", quiet: "dim" } as const;

export function toned({ tone, title }: TimelineEntry, paint: Paint): string {
  const format = TONES[tone];
  return format === undefined ? plainLine(title) : paint(format, plainLine(title));
}

export function marked({ payload }: EventOf<"TOOL_RESULT">, what: string): string {
  const outcome = payload.outcome ?? (payload.isError ? "error" : "ok");
  if (outcome === "ok") return `✓ ${what}`;
  return outcome === "error" ? `✗ ${what}` : `✗ ${what} (${outcome.replace("_", " ")})`;
}

/** The first line of a result, how many more there are, and the mark with which a command ends. */
export function firstLine(output: unknown, cells: number): string {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const end = lines.length > 1 && /^\[.*\]$/.test(lines.at(-1)!) ? ` ${plainLine(lines.pop()!)}` : "";
  const more = lines.length > 1 ? ` (+${count(lines.length - 1, "line")})` : "";
  return `${fitted(plainLine(lines[0] ?? ""), Math.max(20, cells))}${more}${end}`;
}
