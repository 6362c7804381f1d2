// A child run in its parent's timeline, from its start to its end (S0-76, S0-77).
// The row links to the child's page and can expand the child's timeline in place (U10).

import { ArrowRight, ChevronDown, ChevronRight } from "lucide-react";
import type { Trigger } from "../../../../src/journal/events.ts";
import { totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import type { ChildSpan } from "../../../../src/projections/views/turns.ts";
import { money, shortCount } from "../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { statusText } from "../run-header/status-text.ts";
import { HighlightedText, lastLines, Time } from "./row-views.tsx";
import { childWords } from "./timeline-rows.ts";

export interface ChildRowProps {
  runId: string;
  /** All runs of the tree. */
  runs: ReadonlyMap<string, RunJournal>;
  span: ChildSpan;
  child: RunJournal | undefined;
  selected: boolean;
  open: boolean;
  q: string;
  onSelect(runId: string, seq?: number): void;
  onToggle(childId: string): void;
}

export function ChildRow(props: ChildRowProps) {
  const { runId, runs, span, child, selected, open, q, onSelect, onToggle } = props;
  const { seq, ts, agent, task, end, runId: childId } = span;
  const [badge, tone, edge] = lookOf(span, child?.row.trigger);
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
        "my-0.5 mr-3 ml-3 cursor-pointer rounded-r-md border-y border-y-line border-r border-r-line border-l-4 px-3 py-1 @lg:ml-10",
        edge,
        selected ? "bg-accent-soft" : "bg-surface hover:bg-raised",
      )}
    >
      <div className="flex min-w-0 items-center gap-x-2 gap-y-1 @max-xl:flex-wrap">
        <a
          href={`/r/${runId}#${seq}`}
          onClick={(click) => handleLinkClick(click, () => onSelect(runId, seq))}
          className="inline-flex min-h-10 items-center gap-2 md:min-h-6"
        >
          <Time ts={ts} />
          <Badge tone={tone}>{badge}</Badge>
        </a>
        <RoleIcon agent={agent} size={14} />
        <span className="min-w-0 max-w-1/2 truncate font-semibold text-sm @xl:shrink-0">
          <AgentName agent={agent} />
        </span>
        <p className="min-w-0 flex-1 truncate text-sm @max-xl:order-last @max-xl:basis-full" title={task}>
          <HighlightedText text={task} q={q} />
        </p>
        {child && !end && <StatusBadge run={child.row} />}
        {child && <ChildCost child={child} />}
        <span className="flex shrink-0 items-center @max-xl:ml-auto">
          {child && (
            <Button
              look="quiet"
              size="small"
              aria-expanded={open}
              aria-label={`${open ? "Collapse" : "Expand"} the timeline of ${agent}`}
              className="max-md:h-10"
              onClick={() => onToggle(childId)}
            >
              {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
            </Button>
          )}
          <a
            href={`/r/${childId}`}
            aria-label="View child run"
            title="View child run"
            onClick={(click) => handleLinkClick(click, () => onSelect(childId))}
            className="inline-flex min-h-10 min-w-10 items-center justify-center rounded text-child hover:bg-raised md:min-h-7 md:min-w-7"
          >
            <ArrowRight size={14} aria-hidden />
          </a>
        </span>
      </div>
      {end && (
        <p
          className={classNames(
            "line-clamp-2 pb-0.5 text-sm",
            end.success || end.isCancelled ? "text-muted" : "text-bad",
          )}
        >
          <HighlightedText text={end.summary} q={q} />
        </p>
      )}
      {!end && !open && child && child.row.endedAt === undefined && <LatestLine runs={runs} child={child} />}
    </div>
  );
}

function ChildCost({ child: { row } }: { child: RunJournal }) {
  const tokens = totalTokens(row.usage);
  return (
    <span className="flex shrink-0 gap-2.5 whitespace-nowrap text-2xs text-muted tabular-nums">
      <Elapsed from={row.createdAt} to={row.endedAt} />
      {tokens > 0 && <span className="@max-xl:hidden">{shortCount(tokens)} tok</span>}
      {(row.usage.cost > 0 || row.usage.unpriced > 0) && (
        <span>{money(row.usage.cost, row.usage.unpriced)}</span>
      )}
    </span>
  );
}

/** U18: what a child does now, if its timeline is collapsed: the words that it writes, or its status as in its own header. */
function LatestLine({ runs, child }: { runs: ChildRowProps["runs"]; child: RunJournal }) {
  const streaming = child.row.status === "running" ? [...child.streaming.values()].at(-1) : undefined;
  const text = streaming ? lastLines(streaming.text, 1).slice(-200) : statusText(runs, child).text;
  if (!text) return null;
  return (
    <p className="truncate text-muted text-xs" data-testid="latest">
      <VisibleText text={text} />
    </p>
  );
}

/** `trigger` comes from the child's own journal, if it is loaded. */
function lookOf(
  { end, key, trigger: known }: ChildSpan,
  trigger: Trigger = known,
): [badge: string, tone: Tone, edge: string] {
  const { start, what } = childWords(trigger, key);
  if (end === undefined) return [start, "child", "border-l-child"];
  if (end.isCut) return [`${what} CUT OFF`, "warn", "border-l-warn"];
  if (end.isCancelled) return [`${what} CANCELLED`, "muted", "border-l-edge"];
  return end.success
    ? [`${what} COMPLETE`, "good", "border-l-good"]
    : [`${what} FAILED`, "bad", "border-l-bad"];
}
