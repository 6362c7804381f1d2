// The timeline of a run: one readable line per event, the same in the terminal and on the page.
//  T1  Every event type has a line, or deliberately has none. The compiler reports a type without either.
//  T2  A title is one short line. It contains untrusted text of models and tools, so the code that prints it must escape it.

import { toolCallId } from "../../ids.ts";
import { type Attachment, describeFile } from "../../journal/attachment.ts";
import type { EventOf, EventType, JournalEvent, Payload } from "../../journal/events.ts";
import { textOf, toolCallsOf } from "../../journal/message.ts";
import { stripUntrustedMarks } from "../../journal/untrusted.ts";
import { childOfMerge, isMergeCall } from "../folds/child-runs.ts";
import { SELF_RESUMING } from "../folds/run-row.ts";
import { NOT_STARTED } from "../folds/run-state.ts";
import { parseTodos, summarizeTodos } from "../folds/todos.ts";
import { ASK_USER, BASH, callOfItem, callOutcome, MERGE_CALL } from "../folds/tool-call.ts";
import type { Projection } from "../projection.ts";
import { type ApprovedCall, describeReceipt } from "../words/decisions.ts";
import { describeBudget, plural, shortTime } from "../words/format.ts";
import { describeLimit } from "../words/limits.ts";
import { patternRole } from "../words/pattern-role.ts";
import { capitalize } from "../words/statuses.ts";
import { isLimit, stopLabel } from "../words/stop-reasons.ts";
import { CALL_OUTCOMES, PROBE_WORDS } from "../words/tool-outcomes.ts";
import { waitTitle } from "../words/waits.ts";

export type TimelineKind =
  | "start"
  | "context"
  | "model"
  | "thought"
  | "tool"
  | "result"
  | "approval"
  | "wait"
  | "child"
  | "team"
  | "step"
  | "limit"
  | "error"
  | "end";

export interface TimelineEntry {
  seq: number;
  ts: number;
  kind: TimelineKind;
  title: string;
  detail?: string;
  tone: "plain" | "good" | "bad" | "warn" | "quiet";
}

export interface Timeline {
  entries: TimelineEntry[];
  names: Names;
}

/** Names of calls and child runs, which later events mention only by their ids. */
export interface Names {
  calls: Map<string, { tool: string; input: unknown; approved?: ApprovedCall }>;
  children: Map<string, string>;
  /** `seq` of the first cancel request. */
  cancelSeq?: number;
}

export const emptyNames = (): Names => ({ calls: new Map(), children: new Map() });

/** The line for an event. `names` comes from earlier events, and is used to describe a call by what it does. */
export function timelineEntry(event: JournalEvent, names: Names = emptyNames()): TimelineEntry | undefined {
  const words = WORDS[event.type] as (event: JournalEvent, names: Names) => Line | undefined;
  const line = words(event, names);
  if (!line) return undefined;
  const [kind, tone, title, detail] = line;
  const shown = oneLine(title);
  const entry: TimelineEntry = { seq: event.seq, ts: event.ts, kind, title: shown, tone };
  return detail === undefined || detail === "" || detail === shown ? entry : { ...entry, detail };
}

export function applyTimeline(timeline: Timeline, event: JournalEvent): Timeline {
  learnNames(timeline.names, event);
  const entry = timelineEntry(event, timeline.names);
  if (entry) timeline.entries.push(entry);
  return timeline;
}

export const timelineProjection: Projection<Timeline> = {
  name: "timeline",
  initial: () => ({ entries: [], names: emptyNames() }),
  apply: applyTimeline,
};

type Line = [kind: TimelineKind, tone: TimelineEntry["tone"], title: string, detail?: string | undefined];

const WORDS: { [T in EventType]: (event: EventOf<T>, names: Names) => Line | undefined } = {
  RUN_STARTED: ({ payload }) => [
    "start",
    "plain",
    `Started: ${payload.agent}${describeForkOrigin(payload)}${filesSuffix(payload)}${describeUnlimited(payload)}`,
    payload.task,
  ],
  CONTEXT_ADDED: ({ payload }) => contextLine(payload),
  MODEL_CALL_STARTED: ({ payload: { model, attempt = 1, purpose = "turn" } }) => {
    const about = [...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(purpose === "turn" ? [] : [purpose])];
    return ["model", "quiet", `Model call: ${model}${about.length > 0 ? ` (${about.join(", ")})` : ""}`];
  },
  AGENT_THOUGHT: ({ payload: { content } }) => {
    const text = textOf(content).trim();
    if (text !== "") return ["thought", "plain", text, text];
    return toolCallsOf(content).length > 0 ? undefined : ["thought", "warn", "Gave an empty answer"];
  },
  MODEL_CALL_FAILED: failureLine,
  TOOL_PROPOSED: ({ payload }, names) => {
    const what = describeCallById(names, payload.toolCallId, payload.name);
    if (payload.verdict === "deny") return ["approval", "bad", `Not allowed: ${what}`, payload.rule];
    if (payload.verdict === "allow") return undefined;
    if (payload.name === ASK_USER) return ["approval", "warn", what];
    const again = (payload.round ?? 1) > 1 ? " again, now that something changed," : "";
    return [
      "approval",
      "warn",
      `Asks${again} to ${describeWish(names, payload.toolCallId, what)}`,
      payload.preview,
    ];
  },
  APPROVAL_DECIDED: ({ payload }, names) => decisionLine(payload, names),
  TOOL_STARTED: ({ runId, payload: { toolCallId: id, attempt = 1, receipt } }, names) => {
    const { approved } = names.calls.get(id) ?? {};
    if (isMergeCall(id)) return ["tool", "plain", `Merges the work of ${mergedRun(id, runId, names)}`];
    const isOther = receipt !== undefined && approved?.receipt !== undefined && receipt !== approved.receipt;
    return [
      "tool",
      isOther ? "bad" : "plain",
      describeCallById(names, id) + (attempt > 1 ? ` (attempt ${attempt})` : ""),
      approved && describeReceipt(receipt, approved),
    ];
  },
  TOOL_RESULT: (event, names) => resultLine(event, names),
  HOOKS_STARTED: ({ payload: { event, toolCallId: id, commands } }, names) => [
    "step",
    "quiet",
    `Runs ${commands.length === 1 ? "a hook" : `${commands.length} hooks`} (${event})${id === undefined ? "" : `: ${describeCallById(names, id)}`}`,
    commands.join("\n"),
  ],
  HOOKS_ENDED: ({ payload: { event, decision, reason, interrupted, runs } }) => {
    if (decision === undefined && reason === undefined && !interrupted) return undefined;
    const title = interrupted
      ? `A hook (${event}) was cut off`
      : `A hook (${event}) answers${decision ? `: ${decision}` : ""}`;
    const detail = [reason, ...runs.map(({ command, problem }) => problem && `${command}: ${problem}`)];
    const isBad = decision === "deny" || decision === "block";
    return [
      "step",
      isBad ? "bad" : "warn",
      reason === undefined ? title : `${title}: ${reason}`,
      detail.filter(Boolean).join("\n"),
    ];
  },
  OUTCOME_DECIDED: ({ payload: { toolCallId: id, verdict, by, note } }, names) => {
    const words = { happened: "it happened", run_again: "run it again", fail: "mark it as failed" }[verdict];
    return ["approval", "plain", `${by} decided: ${words}: ${describeCallById(names, id)}`, note];
  },
  OUTCOME_PROBED: ({ payload: { toolCallId: id, found, evidence, by } }, names) => [
    "approval",
    "plain",
    `${by} checked whether it happened: ${PROBE_WORDS[found]}: ${describeCallById(names, id)}`,
    evidence.join("\n"),
  ],
  PERSON_ASKED: ({ payload: { itemId, person, by, note } }, names) => [
    "approval",
    "plain",
    `${by} asked ${person} to decide: ${describeCallById(names, callOfItem(itemId))}`,
    note,
  ],
  BUDGET_SET: ({ payload: { by, scope, limits } }) => [
    "limit",
    "plain",
    `${by} set ${scope === "tree" ? "the tree's budget" : "its budget"} to ${describeBudget(limits)}`,
  ],
  RUN_SUSPENDED: ({ ts, payload }) => waitLine(ts, payload),
  RUN_RESUMED: ({ payload: { by, note, atOnce } }) => [
    "wait",
    "quiet",
    atOnce ? `${by} had it try again now` : by === "cadre" ? "Goes on" : `${by} let it go on`,
    note,
  ],
  CHILD_RUN_STARTED: ({ payload }) => [
    "child",
    "plain",
    `Started ${payload.agent_type}${roleSuffix(payload)}: ${payload.task}`,
    payload.task,
  ],
  CHILD_RUN_COMPLETED: ({ payload }, names) => {
    const { child_run_id: id, success, summary } = payload;
    const title = describeChildEnd(names.children.get(id) ?? `Run ${id}`, payload);
    // A person who cancels a child does not see it as a failure.
    const isFailure = !success && payload.result.status !== "cancelled";
    const tone = isFailure ? "bad" : success && payload.result.stop_reason === undefined ? "good" : "warn";
    return ["child", tone, title, summary];
  },
  TEAM_ROUND_STARTED: ({ payload }) => [
    "team",
    "quiet",
    `Round ${payload.round}: ${payload.members.join(", ")}`,
  ],
  TEAM_MESSAGE: ({ payload }) => ["team", "plain", `${payload.from}: ${payload.text}`, payload.text],
  TEAM_VOTE: ({ payload: { from, ready, reason } }) => [
    "team",
    ready ? "good" : "plain",
    `${from} is ${ready ? "ready" : "not ready"}: ${reason}`,
    reason,
  ],
  RUNNER_STARTED: ({ payload: { command, sandbox, loaded } }) => [
    "step",
    sandbox === "none" ? "warn" : "quiet",
    `${loaded ? "Goes on" : "Works"} with ${command}${sandbox === "none" ? ", without a sandbox" : ""}`,
  ],
  RUNNER_SAID: ({ payload: { text } }) => ["thought", "plain", text, text],
  RUNNER_SPENT: ({ payload: { cost: maxCost } }) => [
    "step",
    "quiet",
    `Has cost ${describeBudget({ maxCost })}`,
  ],
  STEP_YIELDED: ({ payload }) => ["step", "quiet", `Step ${payload.index}: ${payload.kind}`],
  CONTEXT_COMPACTED: ({ payload: { summary, facts } }) => [
    "context",
    "quiet",
    "Earlier turns were summarized",
    facts === undefined ? summary : `${summary}\n\n${facts}`,
  ],
  CONTEXT_CLIPPED: ({ payload }) => ["context", "quiet", describeClip(payload)],
  LIMIT_REACHED: ({ payload }) => {
    const { limit, value, hard, needs } = payload;
    if (!hard) return ["limit", "warn", `Close to its limit: ${limit} (${value})`];
    if (limit === "finalTurn")
      return ["limit", "bad", "The budget does not cover a final turn for a report", describeLimit(payload)];
    return needs === undefined
      ? ["limit", "bad", `Limit reached: ${limit} (${value})`]
      : ["limit", "bad", `The budget does not cover the next call: ${describeLimit(payload)}`];
  },
  TIMER_SET: ({ ts, payload }) => [
    "wait",
    "quiet",
    `Waiting until ${shortTime(payload.at, ts)}: ${payload.purpose}`,
  ],
  TIMER_FIRED: () => ["wait", "quiet", "The time has come"],
  CANCEL_REQUESTED: ({ payload: { by, reason } }) => [
    "end",
    "warn",
    `${by} asked to cancel${reason ? `: ${reason}` : ""}`,
  ],
  RUN_CANCELLED: ({ payload }) => endLine("warn", "Cancelled", payload),
  RUN_MOVED: () => ["end", "plain", "Moved to another store"],
  SYSTEM_ERROR: ({ payload: { id, code, message, fatal } }) => {
    const said = code === NOT_STARTED ? `Not started (${id}): ${message}` : message;
    return ["error", fatal ? "bad" : "warn", said, code];
  },
  RUN_COMPLETED: ({ payload }) =>
    isLimit(payload.stopReason) ? endLine("warn", "Cut off", payload) : endLine("good", "Done", payload),
  RUN_FAILED: ({ payload }) => endLine("bad", "Failed", payload),
};

function roleSuffix({ trigger, key: parentKey }: Payload<"CHILD_RUN_STARTED">): string {
  const part = patternRole({ trigger, parentKey });
  return part === undefined ? "" : ` (${part})`;
}

/** Records the names that later events need. */
export function learnNames(names: Names, event: JournalEvent): void {
  if (event.type === "CANCEL_REQUESTED") names.cancelSeq ??= event.seq;
  if (event.type === "CHILD_RUN_STARTED") {
    names.children.set(event.payload.child_run_id, event.payload.agent_type);
  }
  if (event.type === "AGENT_THOUGHT") {
    toolCallsOf(event.payload.content).forEach((call, index) => {
      const id = toolCallId(event.payload.callId, index);
      names.calls.set(id, { tool: call.toolName, input: call.input });
    });
  }
  if (event.type === "TOOL_PROPOSED" && event.payload.input !== undefined) {
    names.calls.set(event.payload.toolCallId, { tool: event.payload.name, input: event.payload.input });
  }
  if (event.type === "APPROVAL_DECIDED") {
    const call = names.calls.get(callOfItem(event.payload.itemId));
    if (call && event.payload.decision === "edit") call.input = event.payload.input;
    if (call) call.approved = { ...event.payload, ts: event.ts };
  }
}

/** Describes what a call does. Returns `otherwise` if the call is unknown. */
export function describeCallById(names: Names, id: string, otherwise = `Call ${id}`): string {
  const call = names.calls.get(id);
  return call ? describeCall(call.tool, call.input) : otherwise;
}

/** Describes what a call does: `Read src/app.ts`, `Run: npm test`. */
export function describeCall(tool: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return tool;
  const todos = parseTodos(tool, input);
  if (todos) return `To do: ${oneLine(summarizeTodos(todos))}`;
  const fields = input as Record<string, unknown>;
  const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";
  const main = MAIN_FIELDS.map((name) => fields[name]).find(isWord);
  if (tool === BASH && main !== undefined) return `Run: ${oneLine(main)}`;
  if (tool === MERGE_CALL && isWord(fields["branch"]) && Array.isArray(fields["files"]))
    return `Merge ${fields["branch"]} (${plural(fields["files"].length, "file")})`;
  if (tool === ASK_USER && main !== undefined) return `Ask: ${oneLine(main)}`;
  if (main !== undefined) return `${tool} ${oneLine(main)}`;
  return Object.keys(fields).length === 0 ? tool : `${tool} ${oneLine(JSON.stringify(fields))}`;
}

/** Input fields that say what a call is about, in order of preference. */
const MAIN_FIELDS = [
  "command",
  "pattern",
  "file_path",
  "path",
  "url",
  "query",
  "agent",
  "role",
  "agentType",
  "question",
  "service",
  "summary",
  "task",
];

/** `run: npm test` for a shell command, `use Write src/app.ts` for other calls. */
function describeClip({ results, files, cleared }: Payload<"CONTEXT_CLIPPED">): string {
  if (cleared) return "Older tool results were cleared for the model";
  return results === undefined
    ? `The model gets only the names of ${files?.count} older files`
    : `Long tool results were shortened for the model (to ${results} characters)`;
}

function describeWish(names: Names, id: string, what: string): string {
  const { tool, input } = names.calls.get(id) ?? {};
  const isCommand = tool === BASH && typeof (input as { command?: unknown } | null)?.command === "string";
  return isCommand || isMergeCall(id) ? `${what.charAt(0).toLowerCase()}${what.slice(1)}` : `use ${what}`;
}

/** The names, types and sizes of attached files. */
const filesSuffix = ({ attachments = [] }: { attachments?: Attachment[] | undefined }): string =>
  attachments.length === 0 ? "" : ` [${attachments.map(describeFile).join(", ")}]`;

function contextLine(payload: Payload<"CONTEXT_ADDED">): Line {
  const { title, isQuiet } = describeContext(payload);
  return ["context", isQuiet ? "quiet" : "plain", `${title}${filesSuffix(payload)}`, payload.text];
}

function failureLine({ seq, ts, payload }: EventOf<"MODEL_CALL_FAILED">, { cancelSeq }: Names): Line {
  const { cause, message, retryAt } = payload;
  if (retryAt !== undefined)
    return ["wait", "warn", `Waiting for the provider until ${shortTime(retryAt, ts)} (${message})`, message];
  if (cause === "too_long") {
    return ["error", "warn", `The conversation was too long for the model: ${message}`, message];
  }
  if (cause === "interrupted") {
    const next = seq > (cancelSeq ?? Infinity) ? "" : "; the call is repeated";
    return ["error", "warn", `The model's answer was cut off${next}`, message];
  }
  return ["error", "bad", `The model call failed: ${message}`, message];
}

function decisionLine(payload: Payload<"APPROVAL_DECIDED">, names: Names): Line {
  const { itemId, decision, by, note, answer, scope, grant } = payload;
  const call = callOfItem(itemId);
  const what = itemId.includes("/") && !isMergeCall(call) ? itemId : describeCallById(names, call);
  const because = note ? ` (${note})` : "";
  const granted = grant && scope && scope !== "once" ? ` and granted ${grant} (${scope})` : "";
  switch (decision) {
    case "approve":
      return ["approval", "good", `Approved by ${by}${granted}: ${what}`, note];
    case "edit":
      return ["approval", "good", `Changed and approved by ${by}${granted}: ${what}`, note];
    case "reject":
      return ["approval", "bad", `Rejected by ${by}${because}: ${what}`, note];
    case "answer":
      return ["approval", "good", `${by} answered: ${answer ?? ""}`, answer];
    case "expire":
      return ["approval", "warn", `Nobody decided in time: ${what}`, note];
  }
}

/** The origin of a fork: ` (fork of r1…#12, another message)`. Empty for a run that is not a fork. */
export function describeForkOrigin({ trigger, fork, continues }: Payload<"RUN_STARTED">): string {
  if (trigger !== "fork" || !fork || !continues) return "";
  const edited = (fork.edited ?? []).map((each) => `, another ${each}`).join("");
  return ` (fork of ${continues.runId}#${fork.at}${edited})`;
}

const describeUnlimited = ({ unpriced }: Payload<"RUN_STARTED">): string =>
  unpriced ? ` (maxCost does not limit ${unpriced.join(", ")}: the price is unknown)` : "";

function resultLine(event: EventOf<"TOOL_RESULT">, names: Names): Line {
  const { toolCallId: id, output, isError, files, sandbox, recorded } = event.payload;
  if (isMergeCall(id)) return mergeLine(event, names);
  const call = describeCallById(names, id);
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  if (recorded)
    return [
      "result",
      "quiet",
      `Not done again: ${call} (as recorded in ${recorded.runId}#${recorded.seq})`,
      text,
    ];
  const where = sandbox === undefined ? "" : sandbox === "none" ? " (no sandbox)" : ` (sandbox ${sandbox})`;
  const what = `${call}${where}${filesSuffix(event.payload)}`;
  const changed = (files ?? []).map(({ path, change }) => `${change} ${path}`).join(", ");
  if (changed !== "") return ["result", isError ? "bad" : "good", `${what}: ${changed}`, text];
  const { label, tone } = CALL_OUTCOMES[callOutcome(event, names.cancelSeq)];
  return [
    "result",
    tone === "good" || tone === "muted" ? "quiet" : tone,
    `${capitalize(label)}: ${what}`,
    text,
  ];
}

/** The merge of a worktree, in words: its result is made for programs. */
function mergeLine(
  { runId, payload: { toolCallId: id, output } }: EventOf<"TOOL_RESULT">,
  names: Names,
): Line {
  const who = mergedRun(id, runId, names);
  const { status, files, branch, detail } = (output ?? {}) as Partial<Record<string, unknown>>;
  const listed = Array.isArray(files) ? files.join(", ") : "";
  if (status === "unchanged") return ["result", "quiet", `Nothing to merge from ${who}: it changed no files`];
  if (status === "merged") return ["result", "good", `Merged the work of ${who}: ${listed}`];
  const why = typeof detail === "string" ? detail : undefined;
  return ["result", "bad", `NOT merged: the work of ${who} is on the branch ${String(branch)}`, why];
}

/** The run whose work is merged. A root in a worktree merges its own work. */
function mergedRun(callId: string, runId: string, { children }: Names): string {
  const merged = childOfMerge(callId);
  return merged === runId ? "this run" : (children.get(merged) ?? `run ${merged}`);
}

/** `who` is the name under which the reader knows the child. */
export function describeChildEnd(
  who: string,
  { success, summary, result }: Payload<"CHILD_RUN_COMPLETED">,
): string {
  const cut = result.stop_reason && `was cut off (${stopLabel(result.stop_reason)})`;
  const failed = result.status === "cancelled" ? "was cancelled" : "did not succeed";
  return `${who} ${success ? (cut ?? "is done") : failed}: ${summary}`;
}

function waitLine(ts: number, payload: Payload<"RUN_SUSPENDED">): Line {
  const { kind, until, detail } = payload.waitingOn;
  const needsPerson = !SELF_RESUMING.has(kind);
  const time = until === undefined ? "" : ` until ${shortTime(until, ts)}`;
  const why = detail === undefined || kind === "handoff" ? "" : ` (${detail})`;
  const title = `${waitTitle(payload)}${time}${why}`;
  return ["wait", needsPerson ? "warn" : "quiet", title, payload.blocked_by_child_run_id ?? detail];
}

function endLine(tone: "good" | "warn" | "bad", word: string, payload: Payload<"RUN_COMPLETED">): Line {
  const why = payload.stopReason === "final_answer" ? "" : ` (${stopLabel(payload.stopReason)})`;
  return ["end", tone, `${word}${why}: ${payload.summary}`, payload.summary];
}

const LONGEST = 160;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
}

/** The line for a message to the agent. `isQuiet`: the message comes from Cadre itself, not from a person or another agent. */
function describeContext({ source, from, text, opening }: Payload<"CONTEXT_ADDED">): {
  title: string;
  isQuiet: boolean;
} {
  const quiet = (title: string) => ({ title, isQuiet: true });
  if (opening) {
    const headings = [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading).join(", ");
    return quiet(`Reads instead of its task: ${headings || text}`);
  }
  if (source === "system") return quiet(`Told the agent: ${text}`);
  if (source === "parent") return quiet(`Reads the conversation of ${from ?? "its parent"}`);
  // A coordinator receives the whole discussion in one message. A member receives each message of the other members separately.
  if (source === "team")
    return quiet(from === undefined ? "Reads the team's discussion" : `Hears: ${stripUntrustedMarks(text)}`);
  return { title: `${from ?? SOURCES[source]} says: ${text}`, isQuiet: false };
}

const SOURCES = {
  person: "A person",
  parent: "Its parent",
  agent: "Another agent",
  advice: "An advisor",
  steps: "Its module",
};
