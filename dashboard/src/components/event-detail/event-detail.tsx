import { GitFork, PinOff } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { EventOf, JournalEvent } from "../../../../src/journal/events.ts";
import { timelineEntry } from "../../../../src/projections/views/timeline.ts";
import { fullTime } from "../../../../src/projections/words/format.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { talkOf } from "../../live/folds.ts";
import { useRefusal } from "../../live/me.ts";
import { eventAt } from "../../live/run-journal.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { EventWhy } from "../why/reasons.tsx";
import { eventFields, type Field } from "./event-fields.ts";
import { type EventRef, formatEventRef } from "./event-ref.ts";
import { RequestSection } from "./request-section.tsx";

export interface EventDetailProps {
  journal: TreeJournal;
  eventRef: EventRef;
  onSelect(runId: string, seq?: number): void;
  /** Opens the fork dialog. Absent for a pinned event, because pinned events are read-only. */
  onFork?: (() => void) | undefined;
}

export function EventDetail({ journal, eventRef: { runId, seq }, onSelect, onFork }: EventDetailProps) {
  const mayFork = useRefusal("operator") === undefined;
  const run = journal.runs.get(runId);
  const event = run && eventAt(run, seq);
  if (!event)
    return (
      <p role="status" className="p-4 text-muted text-sm">
        {journal.loaded ? `There is no event ${seq} in this run.` : `Loading up to event ${seq}…`}
      </p>
    );
  const title = timelineEntry(event, run.timeline.names)?.title ?? event.type;
  return (
    <article className="min-w-0 p-3" aria-label={`Event ${seq}`}>
      <h2 className="font-semibold text-sm [overflow-wrap:anywhere]">
        <VisibleText text={title} />
      </h2>
      <p className="mt-0.5 text-muted text-xs">
        {run.row.agent} · #{seq} · {fullTime(event.ts)} · <span className="font-mono">{event.type}</span>
      </p>
      {event.type === "TOOL_RESULT" ? (
        <Call run={run} event={event} />
      ) : (
        <dl className="mt-2 flex flex-col gap-2">
          {eventFields(event).map((field) => (
            <FieldView key={field.label} field={field} onSelect={onSelect} />
          ))}
        </dl>
      )}
      {isModelCall(event) && <RequestSection runId={runId} seq={seq} />}
      <EventWhy journal={journal} runId={runId} seq={seq} onSelect={onSelect} />
      <Raw event={event} />
      {mayFork && onFork && (
        <Button size="small" className="mt-3 max-md:h-10" onClick={onFork}>
          <GitFork size={13} aria-hidden /> Fork from here
        </Button>
      )}
      <p className="mt-3">
        <Copyable text={`${location.origin}/r/${runId}#${seq}`} label="Copy a link to this event" />
      </p>
    </article>
  );
}

const isModelCall = ({ type }: JournalEvent): boolean =>
  type === "MODEL_CALL_STARTED" || type === "AGENT_THOUGHT" || type === "MODEL_CALL_FAILED";

const CallDetail = lazy(async () => ({
  default: (await import("../conversation/tool-row.tsx")).CallDetail,
}));

/** A finished call: what it was asked to do, who decided about it, and its output. */
function Call({ run, event }: { run: RunJournal; event: EventOf<"TOOL_RESULT"> }) {
  const call = talkOf(run.events).calls.get(event.payload.toolCallId);
  if (!call) return null;
  const files = event.payload.files ?? [];
  return (
    <Suspense>
      <div className="mt-2">
        {files.length > 0 && (
          <ul aria-label="Files" className="pb-2 font-mono text-xs">
            {files.map(({ path, change }) => (
              <li key={path}>
                <span className="text-muted">{change}</span> <VisibleText text={path} />
              </li>
            ))}
          </ul>
        )}
        <CallDetail call={call} streaming={undefined} />
      </div>
    </Suspense>
  );
}

function FieldView({ field, onSelect }: { field: Field; onSelect(runId: string): void }) {
  const { label, value, form } = field;
  if (form === undefined || form === "run")
    return (
      <div className="flex gap-2 text-sm">
        <dt className="w-24 shrink-0 text-muted text-xs leading-5">{label}</dt>
        <dd className="min-w-0 [overflow-wrap:anywhere]">
          {form === "run" ? (
            <button type="button" className="text-child underline" onClick={() => onSelect(value)}>
              {value.slice(0, 12)}
            </button>
          ) : (
            <VisibleText text={value} />
          )}
        </dd>
      </div>
    );
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="mt-0.5 min-w-0 text-sm [overflow-wrap:anywhere]">
        {form === "prose" ? <Markdown text={value} /> : <Block text={value} />}
      </dd>
    </div>
  );
}

const SHOWN = 4_000;

/** Preformatted text. If the text is long, only its start is shown until the user asks for the rest. */
function Block({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isCut = !all && text.length > SHOWN;
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-canvas p-2 font-mono text-xs"
      >
        <VisibleText text={isCut ? text.slice(0, SHOWN) : text} />
      </pre>
      {isCut && (
        <Button size="small" className="mt-1" onClick={() => setAll(true)}>
          Show all {text.length} characters
        </Button>
      )}
    </>
  );
}

/** The event as it is stored in the journal. */
function Raw({ event }: { event: JournalEvent }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="mt-3">
      <Button look="quiet" size="small" aria-expanded={open} className="-ml-2" onClick={() => setOpen(!open)}>
        {open ? "Hide raw event" : "Show raw event"}
      </Button>
      {open && <Block text={JSON.stringify(event, null, 2)} />}
    </div>
  );
}

export interface PinnedEventsProps {
  journal: TreeJournal;
  pins: readonly EventRef[];
  onSelect(runId: string, seq?: number): void;
  onUnpin(ref: EventRef): void;
}

/** U15: two pinned events side by side. The events can belong to different runs of the tree. */
export function PinnedEvents({ journal, pins, onSelect, onUnpin }: PinnedEventsProps) {
  if (pins.length === 0) return null;
  return (
    <section
      aria-label="Pinned events"
      className="flex h-2/5 shrink-0 flex-col divide-line border-line border-t bg-surface max-sm:divide-y sm:flex-row sm:divide-x"
    >
      {pins.map((ref) => (
        <div key={formatEventRef(ref)} className="relative min-h-0 min-w-0 flex-1 overflow-auto">
          <IconButton
            icon={PinOff}
            label={`Unpin event ${ref.seq}`}
            className="absolute top-1 right-1 bg-surface"
            onClick={() => onUnpin(ref)}
          />
          <EventDetail journal={journal} eventRef={ref} onSelect={onSelect} />
        </div>
      ))}
    </section>
  );
}
