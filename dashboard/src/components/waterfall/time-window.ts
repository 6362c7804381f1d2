// Pure functions for the visible time window and the bars in it.
// Their running time depends on how much is visible, not on the number of spans.

import type { Activity, Span } from "../../../../src/projections/views/waterfall.ts";

export interface TimeWindow {
  from: number;
  to: number;
}

export interface Bar {
  x: number;
  width: number;
  activity: Activity;
}

const MIN_BAR_PX = 2;
const SHORTEST_MS = 10;

export const timeScale =
  ({ from, to }: TimeWindow, width: number) =>
  (ts: number): number =>
    ((ts - from) / Math.max(1, to - from)) * width;

/** If neighbouring spans are too narrow to be visible, joins them into one bar. The bar shows the activity that took the most time. */
export function barsIn(spans: readonly Span[], window: TimeWindow, width: number, now: number): Bar[] {
  const x = timeScale(window, width);
  const bars: Bar[] = [];
  let crowd: { from: number; to: number; times: Map<Activity, number> } | undefined;
  const close = () => {
    if (!crowd) return;
    const [activity] = [...crowd.times].reduce((most, each) => (each[1] > most[1] ? each : most));
    bars.push({ x: crowd.from, width: Math.max(crowd.to - crowd.from, 1), activity });
    crowd = undefined;
  };
  for (let index = spanAt(spans, window.from); index < spans.length; index++) {
    const { activity, from, to = now } = spans[index]!;
    if (from >= window.to) break;
    const [left, right] = [x(Math.max(from, window.from)), x(Math.min(to, window.to))];
    if (right - left >= MIN_BAR_PX) {
      close();
      bars.push({ x: left, width: right - left, activity });
      continue;
    }
    crowd ??= { from: left, to: right, times: new Map() };
    crowd.to = right;
    crowd.times.set(activity, (crowd.times.get(activity) ?? 0) + to - from);
    if (crowd.to - crowd.from >= MIN_BAR_PX) close();
  }
  close();
  return bars;
}

/** The index of the last span that had started at this time; 0 if no span had started. */
export function spanAt(spans: readonly Span[], ts: number): number {
  let [low, high] = [0, spans.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (spans[middle]!.from <= ts) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Zooms in (factor below 1) or out. The time `at` keeps its position, and the window stays within the whole range. */
export function zoomWindow(window: TimeWindow, factor: number, whole: TimeWindow, at?: number): TimeWindow {
  const { from, to } = window;
  const point = at ?? (from + to) / 2;
  const length = Math.min(whole.to - whole.from, Math.max(SHORTEST_MS, (to - from) * factor));
  const share = (point - from) / Math.max(1, to - from);
  return shiftWindow({ from: point - length * share, to: point + length * (1 - share) }, 0, whole);
}

export function shiftWindow({ from, to }: TimeWindow, by: number, whole: TimeWindow): TimeWindow {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from + by, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * HOUR),
];

/** Tick marks at round times since the start, about 100 pixels apart. */
export function ticks(window: TimeWindow, start: number, width: number): number[] {
  const msPerTick = ((window.to - window.from) / Math.max(1, width)) * 100;
  const step = STEPS.find((each) => each >= msPerTick) ?? STEPS.at(-1)!;
  const first = Math.ceil((window.from - start) / step) * step;
  const count = Math.max(0, Math.floor((window.to - start - first) / step) + 1);
  return Array.from({ length: Math.min(count, 50) }, (_, index) => start + first + index * step);
}
