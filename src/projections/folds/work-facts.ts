// Facts that must survive when a summary replaces the older part of a conversation. The journal knows them exactly.
// These facts follow the model's own summary, so that the agent keeps them even if the model forgot to mention them.
// Like the transcript, the facts continue from one run of a session to the next.

import { toolCallId } from "../../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { plural } from "../words/format.ts";
import { parseTodos, TODO_WRITE, type Todo } from "./todos.ts";
import { callOfItem } from "./tool-call.ts";

export interface WorkFacts {
  /** The calls of the latest answer, by id. */
  calls: Map<string, { name: string; input: unknown }>;
  todos: Todo[];
  /** Decisions and answers of people, one line each, oldest first. */
  decisions: string[];
  /** Paths, by the time of the last change or reading. */
  changed: Set<string>;
  read: Set<string>;
  saved: SavedResult[];
}

/** A result that the agent can read again under a name: `m3.1`, or `RUN/m3.1` for a call of an earlier run. */
export interface SavedResult {
  name: string;
  /** The call in one line. */
  call: string;
  characters: number;
}

export const emptyWorkFacts = (): WorkFacts => ({
  calls: new Map(),
  todos: [],
  decisions: [],
  changed: new Set(),
  read: new Set(),
  saved: [],
});

/** Maximum number of entries to keep. More entries would not fit after a summary. */
const MOST_ENTRIES = 200;
const LONGEST_CALL = 200;
const LONGEST_LINE = 500;

export function trackWorkFacts(facts: WorkFacts, event: JournalEvent): void {
  switch (event.type) {
    case "AGENT_THOUGHT":
      rememberCalls(facts, event);
      break;
    case "TOOL_PROPOSED":
      rememberProposal(facts, event.payload);
      break;
    case "APPROVAL_DECIDED": {
      const line = decisionLine(facts, event.payload);
      if (line !== undefined) addEntry(facts.decisions, cut(line, LONGEST_LINE));
      break;
    }
    case "TOOL_RESULT":
      rememberResult(facts, event.payload);
      break;
    case "CHILD_RUN_COMPLETED":
      for (const path of [...event.payload.result.files_created, ...event.payload.result.files_modified])
        addLast(facts.changed, path);
      break;
    default:
  }
}

function rememberCalls({ calls }: WorkFacts, { payload }: EventOf<"AGENT_THOUGHT">): void {
  const parts = toolCallsOf(payload.content);
  if (parts.length === 0) return;
  calls.clear();
  for (const [index, { toolName, input }] of parts.entries())
    calls.set(toolCallId(payload.callId, index), { name: toolName, input });
}

/** Takes the tool's own name from a proposal. For a call of the agent's module, also takes the input from it. */
function rememberProposal({ calls }: WorkFacts, payload: Payload<"TOOL_PROPOSED">): void {
  const { toolCallId: id, name, input = calls.get(id)?.input, hidden } = payload;
  if (!hidden) calls.set(id, { name, input });
}

/** A decision of a person in one line. An approval without a note needs no line, because the call's result shows that it ran. */
function decisionLine({ calls }: WorkFacts, payload: Payload<"APPROVAL_DECIDED">): string | undefined {
  const { itemId, decision, by, note, answer, input, automatic } = payload;
  const call = calls.get(callOfItem(itemId));
  if (!call || automatic) return undefined;
  const why = note === undefined ? "" : `: ${note}`;
  switch (decision) {
    case "answer":
      return `${by} answered ${questionIn(call.input)}: ${answer ?? note ?? ""}`;
    case "reject":
      return `${by} did not allow ${describeCall(call)}${why}`;
    case "edit":
      return `${by} changed ${describeCall(call)} to ${cut(asJson(input), LONGEST_CALL)}${why}`;
    case "approve":
      return note === undefined ? undefined : `${by} allowed ${describeCall(call)}${why}`;
    default:
      return undefined;
  }
}

function questionIn(input: unknown): string {
  const { question } = (input ?? {}) as { question?: unknown };
  return typeof question === "string" ? `"${cut(question, LONGEST_CALL)}"` : "a question";
}

function rememberResult(facts: WorkFacts, payload: Payload<"TOOL_RESULT">): void {
  const { toolCallId: id, files = [], seen, isError, outcome, size, output } = payload;
  if (seen) addLast(facts.read, seen.path);
  for (const { path } of files) addLast(facts.changed, path);
  const call = facts.calls.get(id);
  if (!call) return;
  const characters = size ?? (typeof output === "string" ? output : asJson(output)).length;
  addEntry(facts.saved, { name: id, call: describeCall(call), characters });
  if (call.name === TODO_WRITE && !isError && (outcome ?? "ok") === "ok")
    facts.todos = parseTodos(call.name, call.input) ?? facts.todos;
}

/** Adds the run's id to the names of its saved results, because the next run uses the same call ids again. */
export function nameEarlierRun({ saved, calls }: WorkFacts, runId: string): void {
  for (const result of saved) if (!result.name.includes("/")) result.name = `${runId}/${result.name}`;
  calls.clear();
}

function addEntry<T>(entries: T[], entry: T): void {
  entries.push(entry);
  if (entries.length > MOST_ENTRIES) entries.shift();
}

function addLast(paths: Set<string>, path: string): void {
  paths.delete(path);
  paths.add(path);
  if (paths.size > MOST_ENTRIES) paths.delete(paths.values().next().value!);
}

/** A call in one line: `Bash {"command":"npm test"}`. */
const describeCall = ({ name, input }: { name: string; input: unknown }): string =>
  cut(`${name} ${asJson(input)}`, LONGEST_CALL);

const asJson = (value: unknown): string => JSON.stringify(value) ?? "";

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;

/**
 * The facts as text of at most `room` characters. Older entries are left out first. Undefined if there are no facts.
 * `saved` are the results that the agent can read again, but no longer sees.
 */
export function describeWorkFacts(
  { todos, decisions, changed, read }: Omit<WorkFacts, "saved">,
  saved: readonly SavedResult[],
  room: number,
): string | undefined {
  const lists: [heading: string, lines: string[]][] = [
    ["The to-do list", todos.map(({ content, status }) => `[${MARKS[status]}] ${content}`)],
    ["What people decided", decisions],
    ["Files that were changed", [...changed]],
    ["Files that were read", [...read]],
    [
      "Results that you can read again, with Read or Grep",
      saved.map(({ name, call, characters }) => `output:${name}: ${call} (${characters} characters)`),
    ],
  ];
  let left = room;
  const texts = lists.flatMap(([heading, lines]) => {
    const shown = newestLines(lines, left - heading.length);
    if (shown.length === 0) return [];
    const missing = lines.length - shown.length;
    const more = missing > 0 ? [`- … and ${plural(missing, "earlier one")}`] : [];
    const text = [`${heading}:`, ...more, ...shown].join("\n");
    left -= text.length;
    return [text];
  });
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

const MARKS: Record<Todo["status"], string> = { completed: "x", in_progress: ">", pending: " " };

function newestLines(lines: readonly string[], room: number): string[] {
  const shown: string[] = [];
  let left = room;
  for (const line of lines.toReversed()) {
    left -= line.length + 3;
    if (left < 0) break;
    shown.unshift(`- ${line}`);
  }
  return shown;
}
