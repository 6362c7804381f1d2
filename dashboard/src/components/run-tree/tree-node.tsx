import { ChevronDown, ChevronRight, Hand, Hourglass, LoaderCircle, OctagonX } from "lucide-react";
import { memo } from "react";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { money } from "../../../../src/projections/words/format.ts";
import { patternRole } from "../../../../src/projections/words/pattern-role.ts";
import { STATUS_LABELS, type StatusLabel, shownStatus } from "../../../../src/projections/words/statuses.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusIcon } from "../../display/status/status-badge.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/run-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { type RollUp, troubleIn } from "./roll-up.ts";

export interface TreeNodeProps {
  row: RunRow;
  /** The node's place in the list, in pixels. */
  top: number;
  height: number;
  level: number;
  /** Whether the node is expanded; undefined for a run without children. */
  expanded: boolean | undefined;
  selected: boolean;
  focusable: boolean;
  hits: number;
  sum: RollUp;
  onSelect(runId: string): void;
  onToggle(runId: string): void;
}

export const TreeNode = memo(function TreeNode(props: TreeNodeProps) {
  const { row, top, height, level, expanded, selected, focusable, hits, sum, onSelect, onToggle } = props;
  const part = patternRole(row);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      data-run={row.id}
      aria-level={level}
      aria-selected={selected}
      {...(expanded === undefined ? {} : { "aria-expanded": expanded })}
      tabIndex={focusable ? 0 : -1}
      title={`${row.agent}: ${row.task}`}
      onClick={() => onSelect(row.id)}
      style={{ top, height, paddingLeft: `${Math.min(level - 1, MAX_INDENT) * 14 + 4}px` }}
      className={classNames(
        "group absolute left-0 flex w-full cursor-pointer items-center gap-1.5 border-l-2 pr-2 text-sm -outline-offset-2",
        selected ? "border-accent bg-accent-soft" : "border-transparent hover:bg-raised",
      )}
    >
      <Caret expanded={expanded} onToggle={() => onToggle(row.id)} />
      <RoleIcon agent={row.agent} size={14} />
      <span className={classNames("min-w-0 flex-1 truncate", selected && "font-medium")}>
        <VisibleText text={row.task.slice(0, 200)} />
      </span>
      <span className="max-w-28 shrink-0 truncate rounded bg-raised px-1 text-2xs text-muted @max-[12rem]:hidden">
        <AgentName agent={row.agent} />
        {part !== undefined && <span className="text-child"> {part}</span>}
      </span>
      {hits > 0 && (
        <span className="rounded bg-warn-soft px-1 text-2xs text-warn">
          {hits}
          <span className="sr-only"> matches</span>
        </span>
      )}
      {expanded === false && <SumBadges sum={sum} />}
      <span className="hidden shrink-0 text-right text-2xs text-muted tabular-nums group-hover:inline group-focus:inline @sm:inline">
        {sum.cost > 0 && `${money(sum.cost, sum.unpriced)} · `}
        <Elapsed from={row.createdAt} to={row.endedAt} />
      </span>
      <StatusMark row={row} trouble={troubleIn(row, sum)} />
    </div>
  );
}, sameNode);

/** Deeper nodes keep this indentation, so that there is room for their text. */
const MAX_INDENT = 8;

interface CaretProps {
  expanded: boolean | undefined;
  onToggle(): void;
}

function Caret({ expanded, onToggle }: CaretProps) {
  const Icon = expanded ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the left and right keys
    // biome-ignore lint/a11y/noStaticElementInteractions: only the pointer uses it
    <span
      className="flex h-8 w-4 shrink-0 items-center justify-center text-muted"
      onClick={(event) => {
        if (expanded === undefined) return;
        event.stopPropagation();
        onToggle();
      }}
    >
      {expanded !== undefined && <Icon size={14} aria-hidden />}
    </span>
  );
}

/** Compares totals by value, because each render creates new objects. */
function sameNode(before: TreeNodeProps, after: TreeNodeProps): boolean {
  return (
    before.row === after.row &&
    before.top === after.top &&
    before.height === after.height &&
    before.level === after.level &&
    before.expanded === after.expanded &&
    before.selected === after.selected &&
    before.focusable === after.focusable &&
    before.hits === after.hits &&
    (Object.keys(before.sum) as (keyof RollUp)[]).every((key) => before.sum[key] === after.sum[key])
  );
}

/** The status of a run as an icon, with the word for screen readers. Each status has its own shape. */
function StatusMark({ row, trouble }: { row: RunJournal["row"]; trouble: string | undefined }) {
  const status = shownStatus(row);
  const { label, tone } = STATUS_LABELS[status];
  const isBlocked = row.waitingOn?.kind === "child_hitl" && !row.answered;
  const word = isBlocked ? "waiting for child" : trouble === undefined ? label : `${label}, ${trouble}`;
  return (
    <span className={`shrink-0 ${LOOKS[trouble === undefined ? tone : "warn"]}`} title={word}>
      <StatusIcon status={isBlocked ? "waiting" : status} size={14} />
      <span className="sr-only">{word}</span>
    </span>
  );
}

const LOOKS: Record<StatusLabel["tone"], string> = {
  good: "text-good",
  muted: "text-muted",
  bad: "text-bad",
  warn: "text-warn",
  info: "text-info",
};

const KINDS = [
  { key: "needsYou", icon: Hand, tone: "warn", word: "need you" },
  { key: "failed", icon: OctagonX, tone: "bad", word: "failed" },
  { key: "running", icon: LoaderCircle, tone: "info", word: "running" },
  { key: "waiting", icon: Hourglass, tone: "muted", word: "waiting" },
] as const;

/** Badges that summarise the runs below a collapsed node. */
export function SumBadges({ sum }: { sum: RollUp }) {
  return KINDS.filter(({ key }) => sum[key] > 0).map(({ key, icon: Icon, tone, word }) => (
    <Badge key={key} tone={tone} title={`${sum[key]} below: ${word}`}>
      <Icon size={10} aria-hidden />
      {sum[key]}
      <span className="sr-only"> {word}</span>
    </Badge>
  ));
}
