// S2-78 to S2-85: a child run as a box in its parent's answer. A collapsed box shows the child's status and latest line.

import { ChevronRight, FilePen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { duration, plural } from "../../../../src/projections/words/format.ts";
import { describeEnding } from "../../../../src/projections/words/statuses.ts";
import { AgentName, RoleIcon, roleOf } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { useNow } from "../../display/time/use-now.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";

export interface ChildBoxProps {
  run: RunJournal;
  /** Whether the box starts expanded. */
  isOpen: boolean;
  onSelect: (() => void) | undefined;
  children: () => ReactNode;
}

export function ChildBox({ run, isOpen, onSelect, children }: ChildBoxProps) {
  const [chosen, setOpen] = useState<boolean>();
  const open = chosen ?? isOpen;
  const { row } = run;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of content, not of form fields
    <div
      role="group"
      aria-label={`${row.agent}: ${row.task.slice(0, 80)}`}
      className={classNames(
        "rounded-md border border-line border-l-4 bg-surface",
        STYLES[roleOf(row.agent)] ?? "border-l-child",
      )}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onDoubleClick={onSelect}
        className="flex min-h-10 w-full flex-wrap items-center gap-x-2 gap-y-0.5 rounded-md px-2 py-1.5 text-left text-sm hover:bg-raised"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={classNames("shrink-0 text-muted", open && "rotate-90")}
        />
        <RoleIcon agent={row.agent} />
        <span className="font-semibold">
          <AgentName agent={row.agent} full />
        </span>
        <StatusBadge run={row} />
        <VisibleText text={row.task} className="min-w-32 flex-1 truncate text-muted" />
        <Took run={run} />
      </button>
      <Files run={run} />
      {open ? <div className="border-line border-t p-2 md:pl-4">{children()}</div> : <LastLine run={run} />}
    </div>
  );
}

/** S2-85: the border colour of a child's box, by the child's role. */
const STYLES: Record<string, string> = {
  coder: "border-l-accent",
  tester: "border-l-good",
  reviewer: "border-l-warn",
  planner: "border-l-info",
  debugger: "border-l-bad",
  main: "border-l-edge",
};

function Took({ run: { row } }: { run: RunJournal }) {
  const now = useNow(row.endedAt !== undefined);
  const time = duration((row.endedAt ?? Math.max(now, row.createdAt)) - row.createdAt);
  const turns = plural(row.turns, "turn");
  const words = row.endedAt === undefined ? `${time}, ${turns}` : `${describeEnding(row, time)} (${turns})`;
  return <span className="shrink-0 text-muted text-xs tabular-nums">{words}</span>;
}

const MAX_FILES = 4;

function Files({ run }: { run: RunJournal }) {
  const files = [...runStateOf(run.events).files.keys()];
  if (files.length === 0) return null;
  const hidden = files.length - MAX_FILES;
  return (
    <p className="flex flex-wrap items-center gap-x-2 px-2 pb-1.5 pl-8 font-mono text-muted text-xs">
      <FilePen size={12} aria-label="Changed files" />
      {files.slice(0, MAX_FILES).map((path) => (
        <span key={path} className="max-w-full truncate">
          <VisibleText text={path.replaceAll("\n", "↵")} />
        </span>
      ))}
      {hidden > 0 && <span>and {hidden} more</span>}
    </p>
  );
}

/** U18: the last line of the text being streamed, or the latest event. */
function LastLine({ run }: { run: RunJournal }) {
  const streaming = [...run.streaming.values()].at(-1)?.text.trim().split("\n").at(-1);
  const line = streaming || run.row.summary || run.timeline.entries.at(-1)?.title;
  if (!line) return null;
  return (
    <p className="truncate px-2 pb-1.5 pl-8 text-muted text-xs">
      <VisibleText text={line.slice(0, 300)} />
    </p>
  );
}
