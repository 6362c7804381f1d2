import { ChartColumn } from "lucide-react";
import { type ComponentProps, useMemo } from "react";
import type { UsageView } from "../../../../src/api/client/types.ts";
import { emptyTreeTotals } from "../../../../src/projections/usage/usage-report.ts";
import { duration, money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { AgentLink } from "../../display/agent/agent.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PlotCard } from "./plot-card.tsx";
import { runSeries, spentSeries, timeBuckets } from "./plot-data.ts";

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
        <p>Choose a longer time range, or start a run (press n).</p>
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

/** Formats an amount for an axis, precisely enough that no two labels are equal. */
const dollars = (value: number): string =>
  value > 0 && value < 0.1 ? `$${value.toPrecision(2)}` : money(value);
/** Formats a whole number for an axis. Fractions get no label, because there are no half turns. */
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

/** The totals of a report. */
function usageTotals({ byAgent, overTime }: UsageView) {
  const { spent = [], runs = [], trees = emptyTreeTotals() } = overTime ?? {};
  return {
    ...sums(byAgent, [
      "cost",
      "unpriced",
      "input",
      "output",
      "cacheRead",
      "toolCalls",
      "wastedCalls",
      "wastedCost",
    ]),
    ...sums(spent, ["turns"]),
    ...sums(runs, ["started", "completed", "failed", "cancelled"]),
    trees,
  };
}

function sums<Key extends string>(items: readonly Record<Key, number>[], keys: readonly Key[]) {
  const sum = (key: Key): number => items.reduce((total, item) => total + item[key], 0);
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as Record<Key, number>;
}

/** Ten key figures for the time range, each with a note on how it is computed and what is unknown. */
function UsageTiles({ usage }: { usage: UsageView }) {
  return (
    <dl className="grid grid-cols-2 gap-2 md:grid-cols-4 xl:grid-cols-5">
      {tilesOf(usage).map(({ name, value, note }) => (
        <div key={name} className="rounded-lg border border-line bg-surface px-4 py-3">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-xl tabular-nums">{value}</dd>
          <dd className="text-muted text-xs">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Tile {
  name: string;
  value: string;
  note: string;
}

function tilesOf(usage: UsageView): Tile[] {
  const all = usageTotals(usage);
  const { trees } = all;
  const ended = `${all.completed} completed, ${all.failed} failed, ${all.cancelled} cancelled`;
  const cached = all.input > 0 ? Math.round((all.cacheRead / all.input) * 100) : 0;
  return [
    {
      name: "Cost",
      value: money(all.cost, all.unpriced),
      note:
        all.unpriced > 0
          ? `${plural(all.unpriced, "call")} without a known price`
          : "every call has a known price",
    },
    {
      name: "Tokens",
      value: shortCount(all.input + all.output),
      note: `${shortCount(all.input)} in, ${shortCount(all.output)} out, ${cached} % cached`,
    },
    { name: "Turns", value: shortCount(all.turns), note: `${shortCount(all.toolCalls)} tool calls` },
    { name: "Runs", value: shortCount(all.started), note: ended },
    {
      name: "Without human help",
      value: trees.completed > 0 ? `${Math.round((trees.withoutPeople / trees.completed) * 100)} %` : "–",
      note: `${trees.withoutPeople} of ${plural(trees.completed, "completed task")} needed no person`,
    },
    {
      name: "Parallelism",
      value: trees.busyMs > 0 ? `${(trees.workMs / trees.busyMs).toFixed(1)}×` : "–",
      note: `${duration(trees.workMs)} of work in ${duration(trees.busyMs)}: ${duration(trees.workMs - trees.busyMs)} saved`,
    },
    aloneTile(trees.together),
    {
      name: "Review rounds",
      value: trees.reviewed > 0 ? (trees.reviews / trees.reviewed).toFixed(1) : "–",
      note: `${plural(trees.reviews, "review")} in ${plural(trees.reviewed, "task")}; reviewers are recognised by name`,
    },
    {
      name: "Wasted",
      value: money(all.wastedCost),
      note: all.wastedCalls > 0 ? `${plural(all.wastedCalls, "attempt")} failed` : "no attempt failed",
    },
    {
      name: "Depth",
      value: trees.depths.length === 0 ? "–" : String(trees.depths.length - 1),
      note: trees.depths.length === 0 ? "no runs" : `runs by level: ${trees.depths.join(", ")}`,
    },
  ];
}

type Together = ReturnType<typeof usageTotals>["trees"]["together"];

/** S1-75: compares the cost with the estimated cost of a single agent. The note explains the estimate. */
function aloneTile({ trees, tokens, cost, singleTokens, singleCost }: Together): Tile {
  const priced = singleCost !== null && singleCost > 0;
  const alone = `${shortCount(Math.round(singleTokens))} tokens${priced ? `, ${money(singleCost)}` : ""}`;
  return {
    name: "Compared to one agent",
    value: singleTokens > 0 ? `${Math.round((tokens / singleTokens) * 100)} %` : "–",
    note:
      trees === 0
        ? "no task used several agents"
        : `${shortCount(tokens)} tokens${priced ? `, ${money(cost)}` : ""}; a single agent about ${alone} (an estimate: the same turns in one conversation)`,
  };
}

/** S2-93, S2-94: usage by agent and by model, and how many delegations succeeded. */
function UsageTables({ usage }: { usage: UsageView }) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Table
        title="By agent"
        head={["Agent", "Runs", "Tokens", "Cost", "Wasted", "Active time"]}
        rows={usage.byAgent.map((each) => ({
          key: each.agent,
          cells: [
            <AgentLink key="agent" name={each.agent} />,
            each.runs,
            shortCount(each.input + each.output),
            money(each.cost, each.unpriced),
            each.wastedCalls === 0 ? "–" : `${each.wastedCalls} (${money(each.wastedCost)})`,
            duration(each.activeMs),
          ],
        }))}
      />
      <Table
        title="By model"
        head={["Model", "Calls", "Tokens", "Cost", "Wasted"]}
        rows={usage.byModel.map((each) => ({
          key: each.model,
          cells: [
            <VisibleText key="model" text={each.model} />,
            each.modelCalls,
            shortCount(each.input + each.output),
            each.unpriced > 0 && each.cost === 0 ? "unknown price" : money(each.cost, each.unpriced),
            each.wastedCalls === 0 ? "–" : `${each.wastedCalls} (${money(each.wastedCost)})`,
          ],
        }))}
      />
      <Table
        title="Delegations"
        head={["From", "To", "Started", "Succeeded", "Failed", "Cancelled", "Success"]}
        words={2}
        rows={usage.byEdge.map((each) => ({
          key: JSON.stringify([each.from, each.to]),
          cells: [
            <AgentLink key="from" name={each.from} />,
            <AgentLink key="to" name={each.to} />,
            each.started,
            each.succeeded,
            each.failed,
            each.cancelled,
            each.successRate === null ? "–" : `${Math.round(each.successRate * 100)} %`,
          ],
        }))}
      />
    </div>
  );
}

function Table({ title, ...table }: { title: string } & Omit<ComponentProps<typeof DataTable>, "label">) {
  return (
    <Panel title={title}>
      {table.rows.length === 0 ? (
        <p className="p-4 text-muted text-sm">There is nothing to show for this time range.</p>
      ) : (
        <DataTable label={`${title}, in rows`} {...table} />
      )}
    </Panel>
  );
}
