// The rows of a timeline: an event (EntryRow), text being streamed (LiveRow), and the start or end of a child (DelegationRow).

import {
  ArrowRight,
  Brain,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CirclePlay,
  CornerDownRight,
  Flag,
  Footprints,
  Gauge,
  GitBranch,
  Hourglass,
  MessageSquareQuote,
  MessageSquareText,
  ShieldQuestion,
  Users,
  Wrench,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import type { JournalEvent, Trigger } from "../../../../src/journal/events.ts";
import type { TimelineEntry, TimelineKind } from "../../../../src/projections/views/timeline.ts";
import { clockTime, fullTime } from "../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, Streaming } from "../../live/tree-journal.ts";
import { Badge, TEXT_TONES, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { childWords } from "./timeline-rows.ts";

interface EntryRowProps {
  runId: string;
  entry: TimelineEntry;
  selected: boolean;
  q: string;
  /** A countdown, shown if the event is a wait that has not ended. */
  aside?: ReactNode;
  onSelect(runId: string, seq: number): void;
}

/** S0-79, U17: one event in one row. The row is a link, so users can copy it and open it in a new tab. */
export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { runId, entry, selected, q, aside, onSelect } = props;
  return (
    <a
      href={`/r/${runId}#${entry.seq}`}
      data-event={`${runId}:${entry.seq}`}
      aria-current={selected ? "true" : undefined}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId, entry.seq))}
      className={classNames(
        "group flex h-10 items-center gap-2 border-l-2 px-3 text-sm -outline-offset-2 md:h-7",
        selected ? "border-accent bg-accent-soft" : "border-transparent hover:bg-raised",
      )}
    >
      <Time ts={entry.ts} />
      <EntryIcon entry={entry} />
      <span className={classNames("min-w-0 flex-1 truncate", TEXT_TONES[entry.tone])}>
        <HighlightedText text={entry.title} q={q} />
      </span>
      {aside}
      <span
        className={classNames(
          "hidden shrink-0 font-mono text-2xs text-muted group-hover:inline",
          selected && "sm:inline",
        )}
      >
        #{entry.seq}
      </span>
    </a>
  );
});

function Time({ ts }: { ts: number }) {
  return (
    <time
      dateTime={new Date(ts).toISOString()}
      title={fullTime(ts)}
      className="shrink-0 font-mono text-2xs text-muted tabular-nums"
    >
      {clockTime(ts)}
    </time>
  );
}

const ICONS: Record<TimelineKind, [icon: typeof Brain, word: string]> = {
  start: [CirclePlay, "start"],
  context: [MessageSquareText, "message"],
  model: [Brain, "model"],
  thought: [MessageSquareQuote, "says"],
  tool: [Wrench, "tool"],
  result: [CornerDownRight, "result"],
  approval: [ShieldQuestion, "approval"],
  wait: [Hourglass, "waits"],
  child: [GitBranch, "child"],
  team: [Users, "team"],
  step: [Footprints, "step"],
  limit: [Gauge, "limit"],
  error: [CircleAlert, "error"],
  end: [Flag, "end"],
};

function EntryIcon({ entry: { kind, tone } }: { entry: TimelineEntry }) {
  const [Icon, word] = ICONS[kind];
  return (
    <span className={`shrink-0 ${tone === "plain" ? "text-muted" : TEXT_TONES[tone]}`} title={word}>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{word}</span>
    </span>
  );
}

/** U12: a text with the search matches highlighted. */
function HighlightedText({ text, q }: { text: string; q: string }) {
  const parts = q === "" ? [text] : splitAt(text, q);
  if (parts.length === 1) return <VisibleText text={text} />;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <VisibleText key={index} text={part} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <mark key={index} className="rounded bg-warn-soft text-warn">
        <VisibleText text={part} />
      </mark>
    ),
  );
}

/** Splits the text at the matches of `q`. In the result, every second part is a match. */
function splitAt(text: string, q: string): string[] {
  const [low, wanted] = [text.toLowerCase(), q.toLowerCase()];
  // Some letters become longer in lower case, and this would shift the highlights.
  if (low.length !== text.length || wanted === "") return [text];
  const parts: string[] = [];
  let from = 0;
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
}

const WORDS: Record<Streaming["kind"], string> = {
  text: "Writing",
  reasoning: "Thinking",
  tool_output: "Output",
};

/** U18: text and output being streamed. The row disappears when the event is recorded. */
export function LiveRow({ run }: { run: RunJournal }) {
  return (
    <div className="border-info border-l-2 bg-info-soft px-3 py-1.5" data-testid="live">
      {[...run.streaming].map(([key, { kind, text }]) => (
        <div key={key} className="min-w-0">
          <span className="font-medium text-2xs text-info">{WORDS[kind]}…</span>
          <p
            className={
              kind === "tool_output"
                ? "line-clamp-6 whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]"
                : "whitespace-pre-wrap text-sm [overflow-wrap:anywhere]"
            }
          >
            <VisibleText text={kind === "text" ? text.slice(-SHOWN) : lastLines(text, 6).slice(-SHOWN)} />
          </p>
        </div>
      ))}
    </div>
  );
}

const SHOWN = 2_000;

const lastLines = (text: string, lines: number): string =>
  text.trimEnd().split("\n").slice(-lines).join("\n");

/** U18: the latest line of a child whose timeline is collapsed. */
function LatestLine({ child }: { child: RunJournal }) {
  const streaming = [...child.streaming.values()].at(-1);
  const text = streaming ? lastLines(streaming.text, 1).slice(-200) : child.timeline.entries.at(-1)?.title;
  if (!text) return null;
  return (
    <p className="mt-0.5 truncate text-muted text-xs" data-testid="latest">
      <VisibleText text={text} />
    </p>
  );
}

interface DelegationRowProps {
  event: Extract<JournalEvent, { type: "CHILD_RUN_STARTED" | "CHILD_RUN_COMPLETED" }>;
  child: RunJournal | undefined;
  agent: string;
  selected: boolean;
  open: boolean;
  q: string;
  onSelect(runId: string, seq?: number): void;
  onToggle(childId: string): void;
}

/**
 * S0-76, S0-77, U10: the start or end of a child in its parent's timeline.
 * The row links to the child's page and can expand the child's timeline in place.
 */
export function DelegationRow(props: DelegationRowProps) {
  const { event, child, agent, open, q, onSelect, onToggle } = props;
  const childId = event.payload.child_run_id;
  const isStart = event.type === "CHILD_RUN_STARTED";
  const [badge, tone, edge] = lookOf(event, child?.row.trigger);
  return (
    <Frame {...props} edge={edge}>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <a
          href={`/r/${event.runId}#${event.seq}`}
          onClick={(click) => handleLinkClick(click, () => onSelect(event.runId, event.seq))}
          className="inline-flex min-h-10 items-center gap-2 md:min-h-6"
        >
          <Time ts={event.ts} />
          <Badge tone={tone}>{badge}</Badge>
        </a>
        <RoleIcon agent={agent} size={14} />
        <span className="font-semibold">
          <AgentName agent={agent} full />
        </span>
        {isStart && child && <StatusBadge run={child.row} />}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-x-2">
        <p className="line-clamp-2 min-w-0 flex-1 basis-48 text-sm">
          <HighlightedText text={isStart ? event.payload.task : event.payload.summary} q={q} />
        </p>
        <span className="flex items-center gap-1">
          {isStart && child && (
            <Button
              look="quiet"
              size="small"
              aria-expanded={open}
              aria-label={`${open ? "Collapse" : "Expand"} the timeline of ${agent}`}
              onClick={() => onToggle(childId)}
            >
              {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
              {open ? "Collapse" : "Expand"}
            </Button>
          )}
          <ChildLink {...props} />
        </span>
      </div>
      {isStart && !open && child && child.row.endedAt === undefined && <LatestLine child={child} />}
    </Frame>
  );
}

function Frame(props: DelegationRowProps & { edge: string; children: ReactNode }) {
  const { selected, edge, onSelect, children } = props;
  const { runId, seq } = props.event;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger click target; keyboard users have the link
    // biome-ignore lint/a11y/noStaticElementInteractions: a larger click target; keyboard users have the link
    <div
      data-event={`${runId}:${seq}`}
      aria-current={selected ? "true" : undefined}
      onClick={(click) => {
        if ((click.target as HTMLElement).closest("a, button") === null) onSelect(runId, seq);
      }}
      className={classNames(
        "my-1 mr-3 ml-2 cursor-pointer rounded-r-md border-y border-y-line border-r border-r-line border-l-4 px-3 py-1.5",
        edge,
        selected ? "bg-accent-soft" : "bg-surface hover:bg-raised",
      )}
    >
      {children}
    </div>
  );
}

function ChildLink({ event, onSelect }: DelegationRowProps) {
  const childId = event.payload.child_run_id;
  return (
    <a
      href={`/r/${childId}`}
      onClick={(click) => handleLinkClick(click, () => onSelect(childId))}
      className="inline-flex min-h-10 items-center gap-1 whitespace-nowrap rounded px-1 text-child text-xs underline-offset-2 hover:underline md:min-h-7"
    >
      View child run <ArrowRight size={12} aria-hidden />
    </a>
  );
}

/** `trigger` comes from the child's own journal, because the event of the child's end does not repeat the trigger. */
function lookOf(
  { type, payload }: DelegationRowProps["event"],
  trigger: Trigger = "delegation",
): [badge: string, tone: Tone, edge: string] {
  if (type === "CHILD_RUN_STARTED")
    return [childWords(payload.trigger, payload.key).start, "child", "border-l-child"];
  const { what } = childWords(trigger, payload.key);
  return payload.success
    ? [`${what} COMPLETE`, "good", "border-l-good"]
    : [`${what} FAILED`, "bad", "border-l-bad"];
}
