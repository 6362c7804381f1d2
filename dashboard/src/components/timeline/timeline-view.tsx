import { useMemo } from "react";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import type { EventRef } from "../event-detail/event-ref.ts";
import { FACET_LABELS, FACETS, type Facet, type FacetCounts } from "./facets.ts";
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

interface FacetBarProps {
  counts: FacetCounts;
  show: readonly Facet[];
  onChange(show: Facet[]): void;
}

function FacetBar({ counts, show, onChange }: FacetBarProps) {
  const toggle = (facet: Facet) =>
    onChange(show.includes(facet) ? show.filter((each) => each !== facet) : [...show, facet]);
  return (
    <fieldset className="flex min-w-0 items-center gap-1 overflow-x-auto">
      <legend className="sr-only">Show only</legend>
      {FACETS.map((facet) => (
        <button
          key={facet}
          type="button"
          aria-pressed={show.includes(facet)}
          onClick={() => toggle(facet)}
          className={classNames(
            "inline-flex h-10 shrink-0 items-center gap-1 rounded-full border px-2.5 text-xs md:h-6",
            show.includes(facet)
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-muted hover:bg-raised hover:text-ink",
          )}
        >
          {FACET_LABELS[facet]}
          <span
            className={classNames("tabular-nums", facet === "failures" && counts[facet] > 0 && "text-bad")}
          >
            {counts[facet]}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
