// A stacked bar plot in the colours of the theme. The table below the plot shows the same numbers.

import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { useTheme } from "../../ui/theme.ts";
import { usePrefersDark } from "../../ui/use-media.ts";
import { axisWords, type PlotData, stackSeries, timeWords } from "./plot-data.ts";

export interface UsagePlotProps {
  data: PlotData;
  /** Formats a value of the plot as text. */
  words(value: number): string;
}

const HEIGHT = 170;

export function UsagePlot({ data, words }: UsagePlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const theme = useTheme();
  const dark = usePrefersDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has new colours
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = new uPlot(
      optionsFor(element, data, { words, onHover: setAt }),
      [data.times, ...stackSeries(data.series)],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [data, words, theme, dark]);
  return (
    <>
      <div ref={place} aria-hidden className="px-1" />
      <p aria-hidden className="h-5 truncate px-3 text-2xs text-muted tabular-nums">
        {at !== undefined && describeBucket(data, at, words)}
      </p>
    </>
  );
}

function describeBucket(
  { times, every, series }: PlotData,
  at: number,
  words: UsagePlotProps["words"],
): string {
  const parts = series.flatMap(({ name, values }) => (values[at] ? [`${name} ${words(values[at])}`] : []));
  return `${timeWords(times[at] ?? 0, every)}: ${parts.join(", ") || "nothing"}`;
}

function optionsFor(
  element: HTMLElement,
  { times, every, series }: PlotData,
  { words, onHover }: { words(value: number): string; onHover(at: number | undefined): void },
): uPlot.Options {
  const colour = (name: string): string => resolveColour(element, name);
  const axis = { stroke: colour("--color-muted"), font: "11px ui-sans-serif, system-ui, sans-serif" };
  const grid = { stroke: colour("--color-line"), width: 1 };
  const bars = uPlot.paths.bars?.({ size: [0.75, 36], align: 1 });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    ms: 1,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { setScale: false } },
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
    scales: {
      x: { range: () => [times[0] ?? 0, (times.at(-1) ?? 0) + every] },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1e-9)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        space: 64,
        size: 28,
        values: (_, values) => values.map((time) => axisWords(time, every)),
      },
      { ...axis, grid, ticks: { show: false }, size: 56, values: (_, values) => values.map(words) },
    ],
    series: [
      {},
      ...series.map(({ name, colour: own }) => {
        const fill = colour(`--color-${own}`);
        return {
          label: name,
          fill,
          stroke: fill,
          width: 0,
          points: { show: false },
          ...(bars ? { paths: bars } : {}),
        };
      }),
    ],
  };
}

/** Resolves a CSS colour, because a canvas does not understand `light-dark()`. */
function resolveColour(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
