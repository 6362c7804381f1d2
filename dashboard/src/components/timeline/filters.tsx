// The filters of a timeline, and the switch between turns and events.

import { lazy, useMemo } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import { OnClick } from "../../ui/on-click.tsx";
import { treeOrder } from "../run-tree/roll-up.ts";
import { entryFacets, type Facet } from "./facets.ts";
import { FilterButton } from "./filter-button.tsx";
import { createEventRows } from "./timeline-rows.ts";

const FilterMenu = lazy(async () => ({ default: (await import("./filter-menu.tsx")).FilterMenu }));

export interface TimelineFiltersProps {
  journal: TreeJournal;
  runId: string;
  show: readonly Facet[];
  isEvents: boolean;
  onShow(show: Facet[]): void;
  onEvents(isEvents: boolean): void;
  onSelect(runId: string, seq?: number): void;
}

export function TimelineFilters(props: TimelineFiltersProps) {
  const { journal, runId, show, isEvents, onShow, onEvents, onSelect } = props;
  const all = useMemo(() => createEventRows([]), []);
  const counts = all.counts(journal.runs, runId);
  const { failures } = counts;
  const below = treeOrder(journal.runs, runId).slice(1);
  const failuresBelow = below.reduce((sum, id) => sum + all.counts(journal.runs, id).failures, 0);
  // A filter lists events, because a turn can match only in part.
  const isList = isEvents || show.length > 0;
  return (
    <>
      {failures > 0 && !show.includes("failures") && (
        <button
          type="button"
          onClick={() => onShow(["failures"])}
          className="inline-flex h-10 shrink-0 items-center rounded-full bg-bad-soft px-2 text-bad text-xs hover:underline md:h-6"
        >
          {plural(failures, "failure")}
        </button>
      )}
      {failures === 0 && failuresBelow > 0 && (
        <button
          type="button"
          title="Go to the first one"
          onClick={() => {
            const first = firstFailure(journal, below);
            if (first) onSelect(first.runId, first.seq);
          }}
          className="inline-flex h-10 shrink-0 items-center rounded-full bg-warn-soft px-2 text-warn text-xs hover:underline md:h-6"
        >
          {failuresBelow} below
          <span className="sr-only"> this run: {plural(failuresBelow, "failure")}</span>
        </button>
      )}
      <OnClick button={(onClick) => <FilterButton show={show} onClick={onClick} />}>
        <FilterMenu show={show} counts={counts} onShow={onShow} />
      </OnClick>
      <button
        type="button"
        role="switch"
        aria-checked={isList}
        disabled={show.length > 0}
        onClick={() => onEvents(!isEvents)}
        className="flex h-10 shrink-0 items-center gap-1.5 rounded-md px-1 text-muted text-xs hover:text-ink md:h-7"
      >
        <span
          aria-hidden
          className={classNames(
            "flex h-3.5 w-6 items-center rounded-full border px-px",
            isList ? "justify-end border-accent bg-accent-soft" : "border-edge",
          )}
        >
          <span className={classNames("size-2.5 rounded-full", isList ? "bg-accent" : "bg-edge")} />
        </span>
        Every event
      </button>
    </>
  );
}

/** The earliest failure in these runs. */
function firstFailure(
  { runs }: TreeJournal,
  ids: readonly string[],
): { runId: string; seq: number } | undefined {
  const found = ids.flatMap((runId) => {
    const entry = runs.get(runId)?.timeline.entries.find((each) => entryFacets(each).includes("failures"));
    return entry ? [{ runId, seq: entry.seq, ts: entry.ts }] : [];
  });
  return found.toSorted((a, b) => a.ts - b.ts)[0];
}
