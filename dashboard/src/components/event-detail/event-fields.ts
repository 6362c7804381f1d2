// The most useful fields of an event, with readable labels.
// The first fields of a decision say who decided what, when and under which rule (U29).

import { type Attachment, describeFile } from "../../../../src/journal/attachment.ts";
import type { EventOf, EventType, JournalEvent, Payload } from "../../../../src/journal/events.ts";
import { reasoningOf, textOf, toolCallsOf } from "../../../../src/journal/message.ts";
import { omitUndefined } from "../../../../src/omit-undefined.ts";
import {
  describeBudget,
  duration,
  fullTime,
  money,
  shortCount,
} from "../../../../src/projections/words/format.ts";
import { describeStop } from "../../../../src/projections/words/stop-reasons.ts";
import { PROBE_WORDS } from "../../../../src/projections/words/tool-outcomes.ts";
import { describeWait } from "../../../../src/projections/words/waits.ts";

export interface Field {
  label: string;
  value: string;
  /** `block`: preformatted in its own box; `prose`: Markdown; `run`: a link to a run. */
  form?: "block" | "prose" | "run";
}

type Read<T extends EventType> = (event: EventOf<T>) => (Field | undefined)[];

export function eventFields(event: JournalEvent): Field[] {
  const read = READERS[event.type] as ((event: JournalEvent) => (Field | undefined)[]) | undefined;
  return (read?.(event) ?? []).filter((field) => field !== undefined);
}

const field = (label: string, value: unknown, form?: Field["form"]): Field | undefined => {
  if (value === undefined || value === null || value === "") return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return omitUndefined({ label, value: text, form });
};

const time = (label: string, ts: number | undefined) =>
  field(label, ts === undefined ? undefined : fullTime(ts));
/** The person who caused the event, and the time. */
const author = ({ payload, ts }: { payload: { by?: string | undefined }; ts: number }) => [
  field("Who", payload.by),
  time("When", ts),
];
const filesField = (files: readonly Attachment[] | undefined) =>
  field("Attachments", files?.map(describeFile).join("\n"));
const untrustedField = (from: readonly string[] | string | undefined) =>
  field("Untrusted content from", typeof from === "string" ? from : from?.join(", "));

const endFields = ({ payload }: { payload: Payload<"RUN_COMPLETED"> }): (Field | undefined)[] => {
  const { why, next } = describeStop(payload.stopReason);
  return [
    field("Why", why),
    field("What you can do now", next?.replaceAll("`", "")),
    field("Summary", payload.summary, "prose"),
    field("Output", payload.output, "block"),
    field("First cause", payload.result.first_cause?.summary),
    field("Run that caused it", payload.result.first_cause?.run_id, "run"),
  ];
};

const READERS: { [T in EventType]?: Read<T> } = {
  RUN_STARTED: ({ payload }) => [
    field("Task", payload.task, "prose"),
    filesField(payload.attachments),
    field("Input", payload.input, "block"),
    field("Success criteria", payload.criteria),
    field("Started because", payload.reason ?? payload.trigger),
    field("By", payload.userId),
    field("Folder", payload.workspace),
    untrustedField(payload.untrusted),
  ],
  CONTEXT_ADDED: ({ payload }) => [
    field("From", payload.from ?? payload.source),
    field("Text", payload.text, "prose"),
    filesField(payload.attachments),
    untrustedField(payload.untrusted),
  ],
  MODEL_CALL_STARTED: ({ payload }) => [
    field("Model", payload.model),
    field("For", payload.purpose ?? "turn"),
    field("Attempt", payload.attempt),
    field("May use", payload.estimate && `${shortCount(payload.estimate.tokens)} tokens`),
  ],
  AGENT_THOUGHT: ({ payload }) => [
    field("Text", textOf(payload.content), "prose"),
    field("Reasoning", reasoningOf(payload.content), "prose"),
    ...toolCallsOf(payload.content).map(({ toolName, input, invalid }) =>
      field(`Calls ${toolName}`, invalid ?? input, "block"),
    ),
    field("Tokens", `${shortCount(payload.usage.input)} in, ${shortCount(payload.usage.output)} out`),
    field("Cost", payload.cost === null ? "unknown: no price for this model" : money(payload.cost)),
    field("Took", duration(payload.ms)),
  ],
  MODEL_CALL_FAILED: ({ payload }) => [
    field("What happened", payload.message),
    field("Cause", payload.cause.replaceAll("_", " ")),
    field("Attempt", payload.attempt ?? 1),
    time("Next try", payload.retryAt),
  ],
  TOOL_PROPOSED: ({ payload }) => [
    field("Tool", payload.name),
    field("Verdict", payload.verdict),
    field("Rule", payload.rule),
    field("Effect", payload.effect),
    field("Preview", payload.preview, "block"),
    time("Expires", payload.expiresAt),
    untrustedField(payload.untrusted),
    field("Hash of the call", payload.hash),
  ],
  APPROVAL_DECIDED: (event) => [
    ...author(event),
    field("Decision", event.payload.decision),
    field("Note", event.payload.note),
    field("Answer", event.payload.answer, "prose"),
    field("Changed input", event.payload.input, "block"),
    field("Scope", event.payload.scope),
    field("Grant", event.payload.grant),
    time("Until", event.payload.until),
    field("Hash of the call", event.payload.hash),
    field("Receipt (sha256)", event.payload.receipt),
  ],
  PERSON_ASKED: (event) => [
    ...author(event),
    field("Asked", event.payload.person),
    field("Note", event.payload.note),
  ],
  BUDGET_SET: (event) => [
    ...author(event),
    field(
      event.payload.scope === "tree" ? "Budget of the tree" : "Budget of the run",
      describeBudget(event.payload.limits),
    ),
  ],
  TOOL_STARTED: ({ payload }) => [
    field("Call", payload.toolCallId),
    field("Attempt", payload.attempt),
    field("Where", payload.host === undefined ? undefined : `${payload.host}, process ${payload.pid ?? "?"}`),
    field("Receipt (sha256)", payload.receipt),
  ],
  TOOL_RESULT: ({ payload }) => [
    field("Outcome", payload.outcome ?? (payload.isError ? "error" : "ok")),
    field("Files", payload.files?.map(({ path, change }) => `${change} ${path}`).join("\n"), "block"),
    field("Output", payload.output, "block"),
    filesField(payload.attachments),
    field("Full output", payload.size === undefined ? undefined : `${shortCount(payload.size)} characters`),
    field("Sandbox", payload.sandbox),
    untrustedField(payload.untrusted),
    field("Took", payload.ms === undefined ? undefined : duration(payload.ms)),
  ],
  HOOKS_STARTED: ({ payload }) => [
    field("Moment", payload.event),
    field("Commands", payload.commands.join("\n"), "block"),
  ],
  HOOKS_ENDED: ({ payload }) => [
    field("Moment", payload.event),
    field("Answer", payload.decision),
    field("Reason", payload.reason, "block"),
    field("Cut off", payload.interrupted && "yes"),
    ...payload.runs.map(({ command, code, problem, output, ms }) =>
      field(
        command,
        [problem ?? `exit code ${code}`, `took ${duration(ms)}`, output].filter(Boolean).join("\n"),
        "block",
      ),
    ),
  ],
  OUTCOME_DECIDED: (event) => [
    ...author(event),
    field("Verdict", event.payload.verdict.replaceAll("_", " ")),
    field("Note", event.payload.note),
    field("Output", event.payload.output, "block"),
  ],
  OUTCOME_PROBED: (event) => [
    ...author(event),
    field("Found", PROBE_WORDS[event.payload.found]),
    field("Evidence", event.payload.evidence.join("\n"), "prose"),
  ],
  RUN_SUSPENDED: ({ payload }) => [
    field("Waiting for", describeWait(payload.waitingOn).subject),
    field("Why", payload.waitingOn.detail),
    time("Until", payload.waitingOn.until),
    field("Blocked by", payload.blocked_by_child_run_id, "run"),
  ],
  RUN_RESUMED: (event) => [...author(event), field("Note", event.payload.note)],
  CHILD_RUN_STARTED: ({ payload }) => [
    field("Agent", payload.agent_type),
    field("Task", payload.task, "prose"),
    field("Child", payload.child_run_id, "run"),
    field("Attempt", payload.attempt),
  ],
  CHILD_RUN_COMPLETED: ({ payload }) => [
    field("Child", payload.child_run_id, "run"),
    field("Summary", payload.summary, "prose"),
    field("Took", duration(payload.result.duration_ms)),
    field("Turns", payload.result.iteration_count),
    field("Files", [...payload.result.files_created, ...payload.result.files_modified].join("\n"), "block"),
    field("First cause", payload.result.first_cause?.summary),
  ],
  TEAM_MESSAGE: ({ payload }) => [field("From", payload.from), field("Text", payload.text, "prose")],
  TEAM_VOTE: ({ payload }) => [
    field("From", payload.from),
    field("Ready", payload.ready ? "yes" : "no"),
    field("Reason", payload.reason, "prose"),
  ],
  CONTEXT_COMPACTED: ({ payload }) => [
    field("Summary", payload.summary, "prose"),
    field("Facts from the journal", payload.facts, "block"),
    field("Untrusted sources", payload.untrusted?.join(", ")),
  ],
  CONTEXT_CLIPPED: ({ payload: { results, files, cleared } }) => [
    field("Longest tool result", results === undefined ? undefined : `${results} characters`),
    field("Files replaced by their names", files?.count),
    field("Cleared results in the first messages", cleared?.messages),
  ],
  LIMIT_REACHED: ({ payload }) => [
    field("Limit", payload.limit),
    field("Value", payload.value),
    field("Used", payload.used),
    field("Kept for the last turns of other runs", payload.kept),
    field("The call needs about", payload.needs),
    field("Ends the run", payload.hard ? "yes" : "no"),
  ],
  CANCEL_REQUESTED: (event) => [
    ...author(event),
    field("Reason", event.payload.reason),
    field("Requested through", event.payload.via, "run"),
  ],
  SYSTEM_ERROR: ({ payload }) => [
    field("What happened", payload.message),
    field("Code", payload.code),
    field("Ends the run", payload.fatal ? "yes" : "no"),
  ],
  RUN_COMPLETED: endFields,
  RUN_FAILED: endFields,
  RUN_CANCELLED: endFields,
};
