import { ChartColumn } from "lucide-react";
import { useMemo } from "react";
import type { UsageView } from "../../../../src/api/client/types.ts";
import { money, shortCount } from "../../../../src/projections/words/format.ts";
import { Command } from "../../display/command/command.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PlotCard } from "./plot-card.tsx";
import { runSeries, spentSeries, timeBuckets } from "./plot-data.ts";
import { UsageTables } from "./usage-tables.tsx";
import { UsageTiles } from "./usage-tiles.tsx";
import { usageTotals } from "./usage-totals.ts";

export interface UsageReportProps {
  usage: UsageView;
  since: number;
  by: "agent" | "model";
}

export function UsageReport({ usage, since, by }: UsageReportProps) {
  const plots = useMemo(() => plotsOf(usage, since, by), [usage, since, by]);
  if (usage.byAgent.length === 0)
    return (
      <EmptyState icon={<ChartColumn size={28} aria-hidden />} title="No usage in this time range">
        <p>Choose a longer time range, or start a run. This demo needs no API key:</p>
        <Command words="demo" />
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-4">
      <UsageTiles usage={usage} />
      <div className="grid gap-4 xl:grid-cols-2">
        {plots.map((plot) => (
          <PlotCard key={plot.title} {...plot} />
        ))}
      </div>
      <UsageTables usage={usage} />
    </div>
  );
}

/** Precise enough that no two labels of an axis are the same. */
const dollars = (value: number): string =>
  value > 0 && value < 0.1 ? `$${value.toPrecision(2)}` : money(value);
/** No label for fractions: there are no half turns. */
const whole = (value: number): string => (Number.isInteger(value) ? shortCount(value) : "");

function plotsOf(usage: UsageView, since: number, by: "agent" | "model") {
  const { overTime } = usage;
  if (!overTime) return [];
  const all = usageTotals(usage);
  const times = timeBuckets(overTime, since, Date.now());
  const spent = (metric: "cost" | "tokens" | "turns") => spentSeries(overTime, times, { metric, by });
  return [
    { title: "Cost", total: money(all.cost, all.unpriced), data: spent("cost"), words: dollars },
    { title: "Tokens", total: shortCount(all.input + all.output), data: spent("tokens"), words: whole },
    { title: "Turns", total: shortCount(all.turns), data: spent("turns"), words: whole },
    {
      title: "Finished runs",
      total: shortCount(all.completed + all.failed + all.cancelled),
      data: runSeries(overTime, times),
      words: whole,
    },
  ];
}
