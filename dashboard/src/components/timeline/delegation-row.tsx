// S0-76, S0-77, U10: the start or end of a child in its parent's timeline. It links to the child's page and can expand
// its timeline in place.

import { ArrowRight, ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { JournalEvent, Trigger } from "../../../../src/journal/events.ts";
import { AgentName } from "../../display/agent/agent-name.tsx";
import { RoleIcon } from "../../display/agent/role-icon.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { childWords } from "./child-words.ts";
import { Time } from "./entry-row.tsx";
import { HighlightedText } from "./highlighted-text.tsx";
import { LatestLine } from "./live-row.tsx";

export interface DelegationRowProps {
  event: Extract<JournalEvent, { type: "CHILD_RUN_STARTED" | "CHILD_RUN_COMPLETED" }>;
  child: RunJournal | undefined;
  agent: string;
  selected: boolean;
  open: boolean;
  q: string;
  onSelect(runId: string, seq?: number): void;
  onToggle(childId: string): void;
}

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

function Frame({
  event,
  selected,
  edge,
  onSelect,
  children,
}: DelegationRowProps & { edge: string; children: ReactNode }) {
  const { runId, seq } = event;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger click target; keyboard users have the link
    // biome-ignore lint/a11y/noStaticElementInteractions: a larger click target; keyboard users have the link
    <div
      data-event={`${runId}:${seq}`}
      {...(selected ? { "aria-current": "true" } : {})}
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

/** `trigger` comes from the child's own journal, because its end event does not repeat it. */
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
