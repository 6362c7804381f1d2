// Turns a usage report into plot data: one value per time bucket and series.

import type { UsageView } from "../../../../src/api/client/types.ts";

export type SeriesColour = "accent" | "good" | "warn" | "info" | "child" | "bad" | "edge";

type OverTime = NonNullable<UsageView["overTime"]>;
type Spent = OverTime["spent"][number];

export interface PlotData {
  /** The start of each time bucket. There are no gaps between buckets. */
  times: number[];
  every: number;
  series: Series[];
}

export interface Series {
  name: string;
  colour: SeriesColour;
  values: number[];
}

/** Colours in order of assignment. Readers could hardly distinguish more colours. */
const COLOURS: readonly SeriesColour[] = ["accent", "good", "warn", "info", "child"];

export const METRICS = {
  cost: (spent: Spent): number => spent.cost,
  tokens: (spent: Spent): number => spent.input + spent.output,
  turns: (spent: Spent): number => spent.turns,
};
export type Metric = keyof typeof METRICS;

/** One series for each of the most expensive agents or models, and one for all others. An agent or model has one colour in all plots. */
export function spentSeries(
  overTime: OverTime,
  times: number[],
  { metric, by }: { metric: Metric; by: "agent" | "model" },
): PlotData {
  const value = METRICS[metric];
  const groups = [...Map.groupBy(overTime.spent, (spent) => spent[by])].sort(
    ([, a], [, b]) =>
      sum(b, METRICS.cost) - sum(a, METRICS.cost) || sum(b, METRICS.tokens) - sum(a, METRICS.tokens),
  );
  const named = groups.slice(0, groups.length === COLOURS.length + 1 ? groups.length : COLOURS.length);
  const rest = groups.slice(named.length);
  const series = named.map(([name, spent], index) => ({
    name,
    colour: COLOURS[index] ?? "edge",
    values: valuesAt(spent, times, value),
  }));
  const others = {
    name: `${rest.length} others`,
    colour: "edge" as const,
    values: valuesAt(
      rest.flatMap(([, spent]) => spent),
      times,
      value,
    ),
  };
  return { times, every: overTime.every, series: [...series, others].filter(hasData) };
}

const sum = (spent: readonly Spent[], value: (each: Spent) => number): number =>
  spent.reduce((total, each) => total + value(each), 0);

const hasData = ({ values }: Series): boolean => values.some((value) => value > 0);

const ENDS = [
  ["completed", "good"],
  ["failed", "bad"],
  ["cancelled", "edge"],
] as const;

export function runSeries(overTime: OverTime, times: number[]): PlotData {
  const series = ENDS.map(([name, colour]) => ({
    name,
    colour,
    values: valuesAt(overTime.runs, times, (then) => then[name]),
  }));
  return { times, every: overTime.every, series: series.filter(hasData) };
}

/** The time buckets until now. The first bucket starts at `since`, or at the first entry if there would be too many buckets. */
export function timeBuckets({ every, spent, runs }: OverTime, since: number, now: number): number[] {
  const first = Math.min(...[...spent.slice(0, 1), ...runs.slice(0, 1)].map(({ from }) => from));
  if (!Number.isFinite(first)) return [];
  const from = now - since > 40 * every ? first : since;
  const length = Math.max(1, Math.floor((now - from) / every) + 1);
  return Array.from({ length }, (_, index) => from + index * every);
}

function valuesAt<T extends { from: number }>(
  items: readonly T[],
  times: readonly number[],
  value: (item: T) => number,
): number[] {
  const sums = new Map<number, number>();
  for (const item of items) sums.set(item.from, (sums.get(item.from) ?? 0) + value(item));
  return times.map((time) => sums.get(time) ?? 0);
}

/** The values of stacked bars. Each value includes the values of all later series, which are drawn below it. */
export function stackSeries(series: readonly Series[]): number[][] {
  return series.map((_, index) =>
    (series[0]?.values ?? []).map((__, at) =>
      series.slice(index).reduce((total, { values }) => total + (values[at] ?? 0), 0),
    ),
  );
}

const DAY = 86_400_000;

/** Formats the start of a time bucket in words. A shorter bucket needs a more precise text. */
export function timeWords(from: number, every: number): string {
  const day = { month: "short", day: "numeric" } as const;
  if (every >= DAY) return new Date(from).toLocaleDateString(undefined, { weekday: "short", ...day });
  return new Date(from).toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit" });
}

/** The start of a time bucket in short form, for an axis. */
export function axisWords(time: number, every: number): string {
  const date = new Date(time);
  if (every >= DAY / 4) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
  return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
