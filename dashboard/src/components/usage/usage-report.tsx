import { Link } from "@tanstack/react-router";
import { ChartColumn, Download } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { UsageView } from "../../../../src/api/client/types.ts";
import { emptyTreeTotals } from "../../../../src/projections/usage/usage-report.ts";
import { duration, money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { AgentLink } from "../../display/agent/agent.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { toCsv } from "../../ui/csv.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { downloadText } from "../../ui/download.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ToggleGroup } from "../../ui/toggle-group.tsx";
import type { RunsSearch } from "../runs/filter.ts";
import { PlotCard, type PlotCardProps } from "./plot-card.tsx";
import { runSeries, spentSeries, timeBuckets, timeWords } from "./plot-data.ts";
import type { Range } from "./usage-range.ts";
import { cachedShare, csvRows, GROUPS, type Group, type Spent, usageByDay } from "./usage-tables.ts";

export interface UsageReportProps {
  usage: UsageView;
  since: number;
  range: Range;
  /** The table that is shown. The plots are grouped by agent, or by model. */
  by: Group;
  onBy(by: Group): void;
}

export function UsageReport({ usage, since, range, by, onBy }: UsageReportProps) {
  const series = by === "model" ? "model" : "agent";
  const plots = useMemo(() => plotsOf(usage, since, series), [usage, since, series]);
  if (usage.byAgent.length === 0)
    return (
      <EmptyState icon={<ChartColumn size={28} aria-hidden />} title="No usage in this time range">
        <p>Choose a longer time range, or start a run (press n).</p>
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-4">
      <UsageTiles usage={usage} />
      <Plots plots={plots.slice(0, 2)} />
      <UsageTable usage={usage} range={range} by={by} onBy={onBy} />
      <Plots plots={plots.slice(2)} />
    </div>
  );
}

const Plots = ({ plots }: { plots: readonly PlotCardProps[] }) => (
  <div className="grid gap-4 xl:grid-cols-2">
    {plots.map((plot) => (
      <PlotCard key={plot.title} {...plot} />
    ))}
  </div>
);

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

/** S2-93, S2-94: one table at a time, as wide as the page. */
function UsageTable({ usage, range, by, onBy }: Omit<UsageReportProps, "since">) {
  const { head, rows, words, note } = tableOf(usage, by, range);
  return (
    <section aria-label="Usage in detail" className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-2">
        <ToggleGroup label="Group by" choices={GROUPS} value={by} onChange={onBy} />
        <Button
          size="small"
          className="ml-auto max-md:h-10"
          disabled={rows.length === 0}
          onClick={() => downloadText(`usage-by-${by}.csv`, toCsv(csvRows(usage, by)), "text/csv")}
        >
          <Download size={13} aria-hidden /> CSV
        </Button>
      </header>
      {rows.length === 0 ? (
        <p className="p-4 text-muted text-sm">There is nothing to show for this time range.</p>
      ) : (
        <DataTable label={GROUPS[by]} head={head} rows={rows} words={words} />
      )}
      {note !== undefined && rows.length > 0 && (
        <p className="border-line border-t px-4 py-2 text-muted text-xs">{note}</p>
      )}
    </section>
  );
}

interface Table {
  head: string[];
  rows: { key: string; cells: ReactNode[] }[];
  /** Number of columns with text. */
  words: number;
  note?: string;
}

const NO_PERSON = "No named person";
const SPENT_HEAD = ["Tokens", "Cached", "Cost", "Wasted"];
const TIMES = ["p50", "p95"];

function tableOf(usage: UsageView, by: Group, range: Range): Table {
  switch (by) {
    case "agent":
      return {
        head: ["Agent", "Runs", ...SPENT_HEAD, "Working time", ...TIMES],
        words: 1,
        note: "p50 and p95 of a run's working time: half of the runs, and 95 % of them, worked at most this long. Waiting does not count.",
        rows: usage.byAgent.map((each) => ({
          key: each.agent,
          cells: [
            <AgentLink key="agent" name={each.agent} />,
            <RunsLink key="runs" search={{ agent: each.agent, all: true }} range={range} count={each.runs} />,
            ...spentCells(each),
            duration(each.activeMs),
            ...timeCells(each),
          ],
        })),
      };
    case "model":
      return {
        head: ["Model", "Calls", ...SPENT_HEAD, ...TIMES],
        words: 1,
        note: "p50 and p95 of a call's duration: half of the calls, and 95 % of them, took at most this long.",
        rows: usage.byModel.map((each) => ({
          key: each.model,
          cells: [
            <VisibleText key="model" text={each.model} />,
            each.modelCalls,
            ...spentCells(each),
            ...timeCells(each),
          ],
        })),
      };
    case "tree":
      return {
        head: ["Task", "Agent", "Person", "Runs", ...SPENT_HEAD],
        words: 3,
        ...(usage.trees > usage.byTree.length
          ? { note: `The ${usage.byTree.length} most expensive of ${usage.trees} tasks.` }
          : {}),
        rows: usage.byTree.map((each) => ({
          key: each.runId,
          cells: [
            <TaskLink key="task" tree={each} />,
            <AgentLink key="agent" name={each.agent} />,
            each.user === undefined ? "–" : <VisibleText key="user" text={each.user} />,
            each.runs,
            ...spentCells(each),
          ],
        })),
      };
    case "person":
      return {
        head: ["Person", "Tasks", "Runs", ...SPENT_HEAD],
        words: 1,
        rows: usage.byPerson.map((each) => ({
          key: each.user ?? "",
          cells: [
            each.user === undefined ? (
              <span key="user" className="text-muted">
                {NO_PERSON}
              </span>
            ) : (
              <VisibleText key="user" text={each.user} />
            ),
            each.user === undefined ? (
              each.trees
            ) : (
              <RunsLink key="tasks" search={{ user: each.user }} range={range} count={each.trees} />
            ),
            each.runs,
            ...spentCells(each),
          ],
        })),
      };
    case "day":
      return {
        head: ["Day", "Runs", "Calls", ...SPENT_HEAD],
        words: 1,
        rows: usageByDay(usage).map((each) => ({
          key: String(each.from),
          cells: [timeWords(each.from, DAY), each.runs, each.modelCalls, ...spentCells(each)],
        })),
      };
    case "delegation":
      return {
        head: ["From", "To", "Started", "Succeeded", "Failed", "Cancelled", "Success"],
        words: 2,
        rows: usage.byEdge.map((each) => ({
          key: JSON.stringify([each.from, each.to]),
          cells: [
            <AgentLink key="from" name={each.from} />,
            <AgentLink key="to" name={each.to} />,
            each.started,
            each.succeeded,
            each.failed,
            each.cancelled,
            each.successRate === null ? "–" : percent(each.successRate),
          ],
        })),
      };
  }
}

const DAY = 86_400_000;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const timeCells = ({ p50, p95 }: { p50: number | null; p95: number | null }): string[] =>
  [p50, p95].map((ms) => (ms === null ? "–" : duration(ms)));

function spentCells(each: Spent): string[] {
  const cached = cachedShare(each);
  return [
    shortCount(each.input + each.output),
    cached === null ? "–" : percent(cached),
    each.unpriced > 0 && each.cost === 0 ? "unknown price" : money(each.cost, each.unpriced),
    each.wastedCalls === 0 ? "–" : `${each.wastedCalls} (${money(each.wastedCost)})`,
  ];
}

const LINK = "text-accent hover:underline";

function TaskLink({ tree: { runId, task, end } }: { tree: UsageView["byTree"][number] }) {
  return (
    <Link
      to="/r/$runId"
      params={{ runId }}
      title={task}
      className="block max-w-[28rem] truncate hover:underline"
    >
      {end === "failed" && <span className="text-bad">failed · </span>}
      <VisibleText text={task} className={LINK} />
    </Link>
  );
}

/** The number of runs as a link to their list. */
function RunsLink({ search, range, count }: { search: RunsSearch; range: Range; count: number }) {
  if (count === 0) return 0;
  return (
    <Link to="/" search={{ ...search, ...(range === "all" ? {} : { since: range }) }} className={LINK}>
      {count}
      <span className="sr-only"> runs</span>
    </Link>
  );
}
