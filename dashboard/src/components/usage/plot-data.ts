// From what the server tells to what is drawn and read: one value for each stretch of time and each line of the legend.

import type { UsageView } from "../../../../src/api/client/types.ts";

export type SeriesColour = "accent" | "good" | "warn" | "info" | "child" | "bad" | "edge";

type OverTime = NonNullable<UsageView["overTime"]>;
type Spent = OverTime["spent"][number];

export interface PlotData {
  /** When each stretch begins; none is left out between the first and the last. */
  times: number[];
  every: number;
  series: Series[];
}

export interface Series {
  name: string;
  colour: SeriesColour;
  values: number[];
}

/** In the order in which they are given to names; more than these nobody can tell apart. */
const COLOURS: readonly SeriesColour[] = ["accent", "good", "warn", "info", "child"];

export const METRICS = {
  cost: (spent: Spent): number => spent.cost,
  tokens: (spent: Spent): number => spent.input + spent.output,
  turns: (spent: Spent): number => spent.turns,
};
export type Metric = keyof typeof METRICS;

/** Those that matter by name, the rest together. A name has the same colour whatever is drawn of it. */
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
  return { times, every: overTime.every, series: [...series, others].filter(isSomething) };
}

const sum = (spent: readonly Spent[], value: (each: Spent) => number): number =>
  spent.reduce((total, each) => total + value(each), 0);

const isSomething = ({ values }: Series): boolean => values.some((value) => value > 0);

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
  return { times, every: overTime.every, series: series.filter(isSomething) };
}

/** From the beginning of the report, or from the first that happened where it begins long before, until now. */
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

/** What is drawn: each on top of those that follow it. */
export function stackSeries(series: readonly Series[]): number[][] {
  return series.map((_, index) =>
    (series[0]?.values ?? []).map((__, at) =>
      series.slice(index).reduce((total, { values }) => total + (values[at] ?? 0), 0),
    ),
  );
}
