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
import type { TimelineEntry, TimelineKind } from "../../../../src/projections/views/timeline.ts";

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

export const TONE_TEXT: Record<TimelineEntry["tone"], string> = {
  plain: "text-ink",
  good: "text-good",
  bad: "text-bad",
  warn: "text-warn",
  quiet: "text-muted",
};

export function EntryIcon({ entry: { kind, tone } }: { entry: TimelineEntry }) {
  const [Icon, word] = ICONS[kind];
  return (
    <span className={`shrink-0 ${tone === "plain" ? "text-muted" : TONE_TEXT[tone]}`} title={word}>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{word}</span>
    </span>
  );
}
