import { useMemo } from "react";
import type { TreeJournal } from "../../live/tree-journal.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import { FacetBar } from "./facet-bar.tsx";
import type { Facet } from "./facets.ts";
import { Timeline } from "./timeline.tsx";
import { createTimelineRows } from "./timeline-rows.ts";

export interface TimelineViewProps {
  journal: TreeJournal;
  runId: string;
  selected: EventRef | undefined;
  show: readonly Facet[];
  open: ReadonlySet<string>;
  q: string;
  onSelect(runId: string, seq?: number): void;
  onToggle(childId: string): void;
  onShow(show: Facet[]): void;
}

/** The timeline with its event filters. */
export function TimelineView(props: TimelineViewProps) {
  const { journal, runId, selected, show, open, q, onShow } = props;
  const source = useMemo(() => createTimelineRows({ show, open }), [show, open]);
  const rows = source.of(journal.runs, runId);
  return (
    <>
      <div className="shrink-0 border-line border-b px-2 py-0.5 md:px-3 md:py-1.5">
        <FacetBar counts={source.counts(runId)} show={show} onChange={onShow} />
      </div>
      <Timeline
        journal={journal}
        runId={runId}
        rows={rows}
        selected={selected}
        show={show}
        open={open}
        q={q}
        onSelect={props.onSelect}
        onToggle={props.onToggle}
      />
    </>
  );
}
