// The spans of one run. For the keyboard it is a slider: the arrow keys step through the spans, Enter opens one.

import { type KeyboardEvent, type MouseEvent, memo, useState } from "react";
import { clockTime, duration } from "../../../../src/projections/words/format.ts";
import { LOOKS } from "./activities.ts";
import { barsIn, spanAt, type TimeWindow, timeScale } from "./time-window.ts";
import type { TreeRow } from "./tree-rows.ts";

export interface BarsProps {
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

export const Bars = memo(function Bars({ row, window, width, onHover, onPick }: BarsProps) {
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
  const onPath = joined(pieces).filter(({ from, to }) => to > window.from && from < window.to);
  return (
    <svg width={width} height={HEIGHT} aria-hidden className="block">
      {barsIn(life.spans, window, width, life.to).map((bar) => (
        <rect
          key={bar.x}
          x={bar.x}
          y="4"
          width={bar.width}
          height="12"
          fill={LOOKS[bar.activity].fill}
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

/** Joins adjacent pieces into one line. */
function joined(pieces: TreeRow["pieces"]): TimeWindow[] {
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
  return { words: `${LOOKS[activity].word}, ${duration(to - from)}, from ${clockTime(from)}`, label };
}
