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
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { HighlightedText } from "./highlighted-text.tsx";

export interface EntryRowProps {
  runId: string;
  entry: TimelineEntry;
  selected: boolean;
  q: string;
  /** The countdown of a wait. */
  aside?: ReactNode;
  onSelect(runId: string, seq: number): void;
}

/** S0-79, U17: one event in one row. It is a link, so it can be copied and opened in a new tab. */
export const EntryRow = memo(function EntryRow({
  runId,
  entry,
  selected,
  q,
  aside,
  onSelect,
}: EntryRowProps) {
  return (
    <a
      href={`/r/${runId}#${entry.seq}`}
      data-event={`${runId}:${entry.seq}`}
      {...(selected ? { "aria-current": "true" } : {})}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId, entry.seq))}
      className={classNames(
        "group flex h-10 items-center gap-2 border-l-2 px-3 text-sm -outline-offset-2 md:h-7",
        selected ? "border-accent bg-accent-soft" : "border-transparent hover:bg-raised",
      )}
    >
      <Time ts={entry.ts} />
      <EntryIcon entry={entry} />
      <span className={classNames("min-w-0 flex-1 truncate", TONE_TEXT[entry.tone])}>
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

const TONE_TEXT: Record<TimelineEntry["tone"], string> = {
  plain: "text-ink",
  good: "text-good",
  bad: "text-bad",
  warn: "text-warn",
  quiet: "text-muted",
};

function EntryIcon({ entry: { kind, tone } }: { entry: TimelineEntry }) {
  const [Icon, word] = ICONS[kind];
  return (
    <span className={`shrink-0 ${tone === "plain" ? "text-muted" : TONE_TEXT[tone]}`} title={word}>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{word}</span>
    </span>
  );
}
