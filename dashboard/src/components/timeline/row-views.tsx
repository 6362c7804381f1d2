// The rows of a timeline that are one line: an event (EntryRow), and text being streamed (LiveRow).

import {
  Brain,
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
import type { TimelineEntry, TimelineKind } from "../../../../src/projections/views/timeline.ts";
import { clockTime, fullTime } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, Streaming } from "../../live/tree-journal.ts";
import { TEXT_TONES } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";

interface EntryRowProps {
  runId: string;
  entry: TimelineEntry;
  selected: boolean;
  q: string;
  /** A countdown, shown if the event is a wait that has not ended. */
  aside?: ReactNode;
  /** Leaves room for the numbers of the turns. */
  isIndented?: boolean;
  onSelect(runId: string, seq: number): void;
}

/** S0-79, U17: one event in one row. The row is a link, so users can copy it and open it in a new tab. */
export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { runId, entry, selected, q, aside, isIndented = false, onSelect } = props;
  return (
    <a
      href={`/r/${runId}#${entry.seq}`}
      data-event={`${runId}:${entry.seq}`}
      aria-current={selected ? "true" : undefined}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId, entry.seq))}
      className={classNames(
        "group flex h-10 items-center gap-2 border-l-2 px-3 text-sm -outline-offset-2 md:h-7",
        isIndented && "@lg:pl-10",
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

export function Time({ ts }: { ts: number }) {
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
export function HighlightedText({ text, q }: { text: string; q: string }) {
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

export const lastLines = (text: string, lines: number): string =>
  text.trimEnd().split("\n").slice(-lines).join("\n");
