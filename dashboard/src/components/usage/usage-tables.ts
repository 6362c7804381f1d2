// The tables of the usage page as data: one for each way to group the usage. The page shows them, and saves them as CSV.

import type { UsageView } from "../../../../src/api/client/types.ts";
import type { CsvCell } from "../../ui/csv.ts";

export const GROUPS = {
  agent: "Agents",
  model: "Models",
  tree: "Tasks",
  person: "People",
  day: "Days",
  delegation: "Delegations",
} as const;
export type Group = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as Group[];

export type Spent = Pick<
  UsageView["byModel"][number],
  "cost" | "unpriced" | "input" | "output" | "cacheRead" | "modelCalls" | "wastedCalls" | "wastedCost"
>;

export interface DayUsage extends Spent {
  /** Local midnight at the start of the day. */
  from: number;
  runs: number;
}

/** Share of the input that came from the provider's cache, from 0 to 1. Null without input. */
export const cachedShare = ({ input, cacheRead }: Pick<Spent, "input" | "cacheRead">): number | null =>
  input > 0 ? Math.min(1, cacheRead / input) : null;

const KEYS = [
  "cost",
  "unpriced",
  "input",
  "output",
  "cacheRead",
  "modelCalls",
  "wastedCalls",
  "wastedCost",
] as const;

/** The usage of each local day, the latest first. The intervals of the report start at local midnight, so each belongs to one day. */
export function usageByDay({ overTime }: UsageView): DayUsage[] {
  const days = new Map<number, DayUsage>();
  const dayOf = (time: number): DayUsage => {
    const from = new Date(time).setHours(0, 0, 0, 0);
    const day = days.get(from) ?? { from, runs: 0, ...noSpending() };
    days.set(from, day);
    return day;
  };
  for (const spent of overTime?.spent ?? []) {
    const day = dayOf(spent.from);
    for (const key of KEYS) day[key] += spent[key];
  }
  for (const { from, started } of overTime?.runs ?? []) dayOf(from).runs += started;
  return [...days.values()].sort((a, b) => b.from - a.from);
}

const noSpending = () =>
  Object.fromEntries(KEYS.map((key) => [key, 0])) as Record<(typeof KEYS)[number], number>;

const SPENT_HEAD = [
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cost_usd",
  "calls_without_price",
  "wasted_usd",
];
const spentCells = (each: Spent): CsvCell[] => [
  each.input,
  each.output,
  each.cacheRead,
  each.cost,
  each.unpriced,
  each.wastedCost,
];

/** The table of a group with exact numbers, and with a head. */
export function csvRows(usage: UsageView, group: Group): CsvCell[][] {
  switch (group) {
    case "agent":
      return [
        ["agent", "runs", ...SPENT_HEAD, "working_ms", "p50_working_ms", "p95_working_ms"],
        ...usage.byAgent.map((each) => [
          ...[each.agent, each.runs, ...spentCells(each)],
          ...[each.activeMs, each.p50, each.p95],
        ]),
      ];
    case "model":
      return [
        ["model", "calls", ...SPENT_HEAD, "p50_call_ms", "p95_call_ms"],
        ...usage.byModel.map((each) => [
          each.model,
          each.modelCalls,
          ...spentCells(each),
          each.p50,
          each.p95,
        ]),
      ];
    case "tree":
      return [
        ["run", "agent", "task", "person", "end", "runs", ...SPENT_HEAD],
        ...usage.byTree.map((each) => [
          ...[each.runId, each.agent, each.task, each.user, each.end, each.runs],
          ...spentCells(each),
        ]),
      ];
    case "person":
      return [
        ["person", "tasks", "runs", ...SPENT_HEAD],
        ...usage.byPerson.map((each) => [each.user, each.trees, each.runs, ...spentCells(each)]),
      ];
    case "day":
      return [
        ["day", "runs", "calls", ...SPENT_HEAD],
        ...usageByDay(usage).map((each) => [
          isoDay(each.from),
          each.runs,
          each.modelCalls,
          ...spentCells(each),
        ]),
      ];
    case "delegation":
      return [
        ["from", "to", "started", "succeeded", "failed", "cancelled"],
        ...usage.byEdge.map((each) => [
          ...[each.from, each.to, each.started],
          ...[each.succeeded, each.failed, each.cancelled],
        ]),
      ];
  }
}

function isoDay(time: number): string {
  const day = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
