// U08, U09: shows how the runs of a tree spent their time, on a shared time axis.
// Only visible rows are rendered, and only as many bars as a reader can distinguish.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowLeft, ArrowRight, Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { activityShares, type PathPiece } from "../../../../src/projections/views/critical-path.ts";
import { duration } from "../../../../src/projections/words/format.ts";
import { useNow } from "../../display/time/use-now.ts";
import { eventCount, type TreeJournal } from "../../live/tree-journal.ts";
import { IconButton } from "../../ui/button.tsx";
import type { RunViewProps } from "../run-view.ts";
import { ACTIVITY_WORDS, BarPatterns, Legend } from "./activities.tsx";
import { Axis, useZoom, type Zoom } from "./axis.tsx";
import { SpanTip, type Tip, treeTime, WaterfallRow } from "./waterfall-row.tsx";

const ROW_PX = 32;

export function Waterfall({ journal, runId, onSelect }: RunViewProps) {
  const rootId = rootOf(journal, runId);
  const isOver = [...journal.runs.values()].every(({ row }) => row.endedAt !== undefined);
  const now = useNow(isOver);
  const events = eventCount(journal);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is one mutable object; a new event count means it changed
  const { rows, path } = useMemo(() => treeTime(journal, rootId, now), [journal, rootId, now, events]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => visibleRows(rows, folded), [rows, folded]);
  const whole = useMemo(
    () => ({ from: rows[0]?.life.from ?? 0, to: Math.max(...rows.map(({ life }) => life.to), 1) }),
    [rows],
  );
  const zoom = useZoom(whole);
  const [tip, setTip] = useState<Tip>();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  });
  const toggle = (id: string) => setFolded((before) => before.symmetricDifference(new Set([id])));
  return (
    <div data-waterfall="" className="flex min-h-0 flex-1 flex-col bg-surface">
      <BarPatterns />
      <div className="flex flex-wrap items-center justify-between gap-x-2 pt-1">
        <TimeSummary path={path} isOver={isOver} />
        <ZoomButtons zoom={zoom} />
      </div>
      <Legend />
      <Axis zoom={zoom} start={whole.from} now={isOver ? undefined : now} />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden">
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = shown[index]!;
            const id = row.run.row.id;
            return (
              <div key={id} className="absolute inset-x-0" style={{ top: start, height: ROW_PX }}>
                <WaterfallRow
                  row={row}
                  zoom={zoom}
                  isSelected={id === runId}
                  isFolded={folded.has(id)}
                  onFold={toggle}
                  onSelect={onSelect}
                  onHover={setTip}
                />
              </div>
            );
          })}
        </div>
      </div>
      <SpanTip tip={tip} />
    </div>
  );
}

function rootOf(journal: TreeJournal, runId: string): string {
  return journal.runs.get(runId)?.row.rootRunId ?? runId;
}

function visibleRows<Row extends { depth: number; run: { row: { id: string } } }>(
  rows: readonly Row[],
  folded: ReadonlySet<string>,
): Row[] {
  let hiddenBelow = Number.POSITIVE_INFINITY;
  return rows.filter((row) => {
    if (row.depth > hiddenBelow) return false;
    hiddenBelow = folded.has(row.run.row.id) ? row.depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

/** U09: one sentence about how the time was spent. It covers only the critical path, so the shares add up to 100 %. */
function TimeSummary({ path, isOver }: { path: readonly PathPiece[]; isOver: boolean }) {
  const shares = activityShares(path);
  const total = shares.reduce((sum, { ms }) => sum + ms, 0);
  const parts = shares.map(({ activity, share }) => `${percent(share)} ${ACTIVITY_WORDS[activity].share}`);
  return (
    <p className="min-w-0 flex-1 basis-64 px-3 text-sm md:px-4" data-testid="took">
      <span className="font-semibold">
        {isOver ? "Took" : "So far"} {duration(total)}
      </span>
      {parts.length > 0 && `: ${parts.join(", ")}`}
    </p>
  );
}

const percent = (share: number): string =>
  share < 0.01 ? "under\u00a01\u00a0%" : `${Math.round(share * 100)}\u00a0%`;

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const { isWhole, by, shift, to } = zoom;
  const buttons = [
    { label: "Earlier", icon: ArrowLeft, run: () => shift(-0.5), disabled: isWhole },
    { label: "Later", icon: ArrowRight, run: () => shift(0.5), disabled: isWhole },
    { label: "Zoom in", icon: ZoomIn, run: () => by(0.5), disabled: false },
    { label: "Zoom out", icon: ZoomOut, run: () => by(2), disabled: isWhole },
    { label: "Show the whole range", icon: Maximize, run: () => to(undefined), disabled: isWhole },
  ];
  return (
    <div className="flex px-2 py-1">
      {buttons.map(({ label, icon, run, disabled }) => (
        <IconButton key={label} icon={icon} label={label} title={label} disabled={disabled} onClick={run} />
      ))}
    </div>
  );
}
