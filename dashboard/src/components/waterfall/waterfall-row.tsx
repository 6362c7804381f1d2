import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, memo, useState } from "react";
import {
  criticalPath,
  type Lifetime,
  type PathPiece,
} from "../../../../src/projections/views/critical-path.ts";
import { clockTime, duration } from "../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { waterfallOf } from "../../live/folds.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import { treeLevels, treeOrder } from "../run-tree/roll-up.ts";
import { ACTIVITY_WORDS, fillOf } from "./activities.tsx";
import { NAME_COLUMN, type Zoom } from "./axis.tsx";
import { barsIn, spanAt, type TimeWindow, timeScale } from "./time-window.ts";

export interface WaterfallRowProps {
  row: TreeRow;
  zoom: Zoom;
  isSelected: boolean;
  isFolded: boolean;
  onFold(runId: string): void;
  onSelect(runId: string, seq?: number): void;
  onHover(tip: Tip | undefined): void;
}

export function WaterfallRow(props: WaterfallRowProps) {
  const { row, zoom, isSelected, isFolded, onFold, onSelect, onHover } = props;
  const { run, depth, life } = row;
  const { id, agent, task } = run.row;
  return (
    <div
      className={classNames("flex h-full items-center border-line border-b", isSelected && "bg-accent-soft")}
    >
      <div className={classNames(NAME_COLUMN, "flex h-full items-center gap-1 pr-1 pl-1")}>
        <span style={{ width: Math.min(depth, 8) * 10 }} className="shrink-0" />
        {run.children.length > 0 ? (
          <button
            type="button"
            aria-expanded={!isFolded}
            aria-label={`Children of ${agent}`}
            onClick={() => onFold(id)}
            className="flex h-full w-5 shrink-0 items-center justify-center rounded hover:bg-raised"
          >
            <ChevronRight size={12} aria-hidden className={isFolded ? undefined : "rotate-90"} />
          </button>
        ) : (
          <span className="w-5 shrink-0" />
        )}
        <button
          type="button"
          title={task}
          onClick={() => onSelect(id)}
          className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded px-1 text-left text-sm hover:bg-raised"
        >
          <span className="max-md:hidden">
            <RoleIcon agent={agent} size={13} />
          </span>
          <span className="min-w-0 flex-1 truncate">
            <AgentName agent={agent} />
          </span>
          <span className="shrink-0 text-muted text-xs tabular-nums max-md:hidden">
            {duration(life.to - life.from)}
          </span>
        </button>
      </div>
      <div className="min-w-0 flex-1 overflow-hidden pr-2">
        <Bars
          row={row}
          window={zoom.window}
          width={zoom.width}
          onHover={onHover}
          onPick={(seq) => onSelect(id, seq)}
        />
      </div>
    </div>
  );
}

interface BarsProps {
  row: TreeRow;
  window: TimeWindow;
  width: number;
  onHover(tip: Tip | undefined): void;
  onPick(seq: number): void;
}

export interface Tip {
  x: number;
  y: number;
  words: string;
  label: string;
}

const HEIGHT = 24;

/** The spans of one run. For keyboard users the row is a slider: arrow keys step through the spans, and Enter opens a span. */
const Bars = memo(function Bars({ row, window, width, onHover, onPick }: BarsProps) {
  const { life, run } = row;
  const [at, setAt] = useState(0);
  const index = Math.min(at, life.spans.length - 1);
  const spanUnder = (event: MouseEvent<Element>) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    const ts = window.from + ((event.clientX - left) / width) * (window.to - window.from);
    return ts < life.from || ts > life.to ? undefined : life.spans[spanAt(life.spans, ts)];
  };
  const onKey = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = index + (STEPS[event.key] ?? 0);
    if (event.key === "Enter") onPick(life.spans[index]?.seq ?? 1);
    else if (STEPS[event.key] === undefined || !life.spans[next]) return;
    else {
      setAt(next);
      const box = event.currentTarget.getBoundingClientRect();
      const x = box.left + Math.max(0, timeScale(window, width)(life.spans[next].from));
      onHover({ x, y: box.bottom, ...wordsFor(row, next) });
    }
    event.preventDefault();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`Time of ${run.row.agent}`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, life.spans.length - 1)}
      aria-valuenow={Math.max(0, index)}
      aria-valuetext={index < 0 ? "Nothing yet" : Object.values(wordsFor(row, index)).join(": ")}
      onKeyDown={onKey}
      onBlur={() => onHover(undefined)}
      onMouseLeave={() => onHover(undefined)}
      onMouseMove={(event) => {
        const span = spanUnder(event);
        onHover(span && { x: event.clientX, y: event.clientY, ...wordsFor(row, life.spans.indexOf(span)) });
      }}
      onClick={(event) => {
        const span = spanUnder(event);
        if (span) onPick(span.seq);
      }}
    >
      <Drawing row={row} window={window} width={width} />
    </div>
  );
});

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

function Drawing({ row: { life, pieces }, window, width }: Pick<BarsProps, "row" | "window" | "width">) {
  const x = timeScale(window, width);
  const onPath = joinPieces(pieces).filter(({ from, to }) => to > window.from && from < window.to);
  return (
    <svg width={width} height={HEIGHT} aria-hidden className="block">
      {barsIn(life.spans, window, width, life.to).map((bar) => (
        <rect
          key={bar.x}
          x={bar.x}
          y="4"
          width={bar.width}
          height="12"
          fill={fillOf(bar.activity)}
          data-activity={bar.activity}
        />
      ))}
      {onPath.map(({ from, to }) => {
        const left = Math.max(0, x(from));
        const length = Math.max(1, Math.min(width, x(to)) - left);
        return (
          <rect key={from} x={left} y="19" width={length} height="3" className="fill-ink" data-path="" />
        );
      })}
    </svg>
  );
}

/** Joins adjacent pieces of the critical path into one line. */
function joinPieces(pieces: TreeRow["pieces"]): TimeWindow[] {
  const lines: TimeWindow[] = [];
  for (const { from, to } of pieces) {
    const last = lines.at(-1);
    if (last?.to === from) last.to = to;
    else lines.push({ from, to });
  }
  return lines;
}

function wordsFor({ life }: TreeRow, index: number): Pick<Tip, "words" | "label"> {
  const { activity, from, to = life.to, label } = life.spans[index]!;
  const what = ACTIVITY_WORDS[activity].label;
  return { words: `${what}, ${duration(to - from)}, from ${clockTime(from)}`, label };
}

const WIDTH = 320;

/** A tooltip that describes the span under the pointer or under the keyboard focus. */
export function SpanTip({ tip }: { tip: Tip | undefined }) {
  if (!tip) return null;
  const left = Math.max(8, Math.min(tip.x + 12, innerWidth - WIDTH - 8));
  const above = tip.y > innerHeight - 120;
  return (
    <div
      data-testid="span-tip"
      className="pointer-events-none fixed z-50 w-fit rounded-md border border-line bg-surface px-2 py-1 text-xs shadow-lg"
      style={{
        left,
        maxWidth: WIDTH,
        ...(above ? { bottom: innerHeight - tip.y + 12 } : { top: tip.y + 14 }),
      }}
    >
      <p className="font-semibold">{tip.words}</p>
      <p className="line-clamp-3 text-muted wrap-anywhere">
        <VisibleText text={tip.label} />
      </p>
    </div>
  );
}

interface TreeRow {
  run: RunJournal;
  depth: number;
  life: Lifetime;
  /** The parts of the critical path in this run. */
  pieces: readonly PathPiece[];
}

interface TreeTime {
  rows: TreeRow[];
  path: PathPiece[];
}

/** The critical path of a tree, and a row for each run. A parent's row comes before the rows of its children. */
export function treeTime(journal: TreeJournal, rootId: string, now: number): TreeTime {
  const order = treeOrder(journal.runs, rootId);
  const levels = treeLevels(journal.runs, order);
  const lives = new Map(order.map((runId) => [runId, lifeOf(journal.runs.get(runId)!, now)]));
  const path = criticalPath(lives, rootId);
  const byRun = Map.groupBy(path, (piece) => piece.runId);
  const rows = order.map((runId) => ({
    run: journal.runs.get(runId)!,
    depth: levels.get(runId)! - 1,
    life: lives.get(runId)!,
    pieces: byRun.get(runId) ?? [],
  }));
  return { rows, path };
}

function lifeOf(run: RunJournal, now: number): Lifetime {
  const { createdAt, updatedAt, endedAt } = run.row;
  const to = endedAt ?? Math.max(now, updatedAt);
  return { from: createdAt, to, spans: waterfallOf(run.events).spans, children: run.children };
}
