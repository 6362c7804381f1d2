import { lazy, Suspense, useId } from "react";
import { VisibleText } from "../../display/visible-text.tsx";
import { classNames } from "../../ui/class-names.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { type PlotData, type SeriesColour, timeWords } from "./plot-data.ts";

const UsagePlot = lazy(async () => {
  fixLanguage();
  const { UsagePlot: component } = await import("./usage-plot.tsx");
  return { default: component };
});

export interface PlotCardProps {
  title: string;
  /** The total for the whole time range. */
  total: string;
  data: PlotData;
  words(value: number): string;
}

/** A plot with a title and a legend. A table shows the same numbers, for screen readers and for copying. */
export function PlotCard({ title, total, data, words }: PlotCardProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3">
        <h2 id={heading} className="font-semibold text-sm">
          {title}
        </h2>
        <span className="text-muted text-sm tabular-nums">{total}</span>
        <Legend data={data} />
      </header>
      {data.series.length === 0 ? (
        <p className="flex h-[190px] items-center justify-center text-muted text-sm">No data</p>
      ) : (
        <Suspense fallback={<div className="h-[190px]" />}>
          <UsagePlot data={data} words={words} />
        </Suspense>
      )}
      <details className="border-line border-t">
        <summary className="cursor-pointer px-4 py-2 text-muted text-xs">
          As a table<span className="sr-only">: {title}</span>
        </summary>
        <Table data={data} words={words} title={title} />
      </details>
    </section>
  );
}

function Legend({ data }: { data: PlotData }) {
  return (
    <ul className="ml-auto flex flex-wrap gap-x-3 text-2xs text-muted">
      {data.series.map(({ name, colour }) => (
        <li key={name} className="inline-flex items-center gap-1">
          <span className={classNames("size-2 rounded-xs", SWATCHES[colour])} />
          <VisibleText text={name} />
        </li>
      ))}
    </ul>
  );
}

function Table({ data, words, title }: Pick<PlotCardProps, "data" | "words" | "title">) {
  const { times, every, series } = data;
  const filled = times
    .map((time, at) => ({ time, values: series.map(({ values }) => values[at] ?? 0) }))
    .filter(({ values }) => values.some((value) => value > 0));
  return (
    <DataTable
      label={`${title} as a table`}
      className="max-h-64"
      hasRowNames
      head={["From", ...series.map(({ name }) => name)]}
      rows={filled.map(({ time, values }) => ({
        key: String(time),
        cells: [timeWords(time, every), ...values.map(words)],
      }))}
    />
  );
}

/** Legend colours as CSS classes. The canvas uses the theme colours of the same names. */
const SWATCHES: Readonly<Record<SeriesColour, string>> = {
  accent: "bg-accent",
  good: "bg-good",
  warn: "bg-warn",
  info: "bg-info",
  child: "bg-child",
  bad: "bg-bad",
  edge: "bg-edge",
};

// Under the POSIX locale a browser reports its language as `en-US@posix`. `Intl` rejects this language.
// A library fails to load if it passes this language to `Intl` while it loads.
function fixLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  }
}
