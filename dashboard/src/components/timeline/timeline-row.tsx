import { Countdown } from "../../display/time/countdown.tsx";
import { eventAt } from "../../live/run-journal.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import { DelegationRow } from "./delegation-row.tsx";
import { EntryRow } from "./entry-row.tsx";
import { LiveRow } from "./live-row.tsx";
import type { Row } from "./timeline-rows.ts";

export interface TimelineRowProps {
  row: Row;
  journal: TreeJournal;
  selected: EventRef | undefined;
  open: ReadonlySet<string>;
  q: string;
  onSelect(runId: string, seq?: number): void;
  onToggle(childId: string): void;
}

export function TimelineRow({ row, journal, selected, open, q, onSelect, onToggle }: TimelineRowProps) {
  const run = journal.runs.get(row.runId);
  if (!run) return null;
  if (row.type === "live") return <LiveRow run={run} />;
  const { entry, childId } = row;
  const isSelected = selected?.runId === row.runId && selected.seq === entry.seq;
  const event = childId === undefined ? undefined : eventAt(run, entry.seq);
  if (childId !== undefined && (event?.type === "CHILD_RUN_STARTED" || event?.type === "CHILD_RUN_COMPLETED"))
    return (
      <DelegationRow
        event={event}
        child={journal.runs.get(childId)}
        agent={run.timeline.names.children.get(childId) ?? childId}
        selected={isSelected}
        open={open.has(childId)}
        q={q}
        onSelect={onSelect}
        onToggle={onToggle}
      />
    );
  const { waitingOn } = run.row;
  const isWaiting = entry.kind === "wait" && entry.seq === run.row.seq && waitingOn?.until !== undefined;
  return (
    <EntryRow
      runId={row.runId}
      entry={entry}
      selected={isSelected}
      q={q}
      aside={isWaiting ? <Countdown until={waitingOn.until!} /> : undefined}
      onSelect={onSelect}
    />
  );
}
