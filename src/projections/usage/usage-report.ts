// Usage and results over any number of trees: by agent, model, delegation and time, with measures of success (S1-70, S1-75, S2-93, S2-94).
// Adds up the stored results of `tree-usage.ts`, so that no journal has to be read.

import { omitUndefined } from "../../omit-undefined.ts";
import { addDurations, type Durations, percentile } from "./durations.ts";
import { emptyUsage, type RunUsage, totalTokens } from "./run-usage.ts";
import { baselineCost } from "./single-agent-estimate.ts";
import { coveredTime, type EdgeCell, type TreeUsage, type UsageCell } from "./tree-usage.ts";
import type { UsageOverTime, UsageReport } from "./usage-schema.ts";

type Timed = RunUsage & { times: Durations };
type TreeRow = UsageReport["byTree"][number];
type PersonRow = UsageReport["byPerson"][number];
type SpendingInPeriod = UsageOverTime["spent"][number];
type RunsInPeriod = UsageOverTime["runs"][number];
type TreeTotals = UsageOverTime["trees"];

export interface ReportOptions {
  /** Usage before this time is ignored. */
  since?: number | undefined;
  every?: number | undefined;
}

export interface UsageReportBuilder {
  add(tree: TreeUsage): void;
  view(): UsageReport;
}

export function createUsageReport({ since = 0, every }: ReportOptions): UsageReportBuilder {
  const agents = new Map<string, RunUsage & { runs: number }>();
  const runTimes = new Map<string, Durations>();
  const models = new Map<string, Timed>();
  const people = new Map<string | undefined, PersonRow>();
  const trees: TreeRow[] = [];
  let treeCount = 0;
  const edges = new Map<string, Omit<EdgeCell, "bucket">>();
  const time = every === undefined ? undefined : createTime(since, every);
  const ofAgent = (agent: string) => entryOf(agents, agent, () => ({ runs: 0, ...emptyUsage() }));
  const ofModel = (model: string) => entryOf(models, model, () => ({ times: {}, ...emptyUsage() }));
  return {
    add(tree) {
      if (tree.updatedAt < since) return;
      const isIn = ({ bucket }: { bucket: number }): boolean => bucket >= since;
      const cells = tree.cells.filter(isIn);
      const ends = tree.ends.filter(isIn);
      for (const cell of cells) {
        addUsage(ofAgent(cell.agent), cell);
        if (cell.model === "") continue;
        addUsage(ofModel(cell.model), cell);
        addDurations(ofModel(cell.model).times, cell.callTimes);
      }
      for (const then of ends) {
        for (const [agent, runs] of Object.entries(then.agents)) ofAgent(agent).runs += runs;
        for (const [agent, times] of Object.entries(then.runTimes ?? {}))
          addDurations(
            entryOf(runTimes, agent, () => ({})),
            times,
          );
      }
      if (cells.length > 0 || runsIn(ends) > 0) {
        const row = treeRow(tree, cells, ends);
        addPerson(people, row);
        treeCount++;
        trees.push(row);
        if (trees.length >= 2 * MOST_TREES) keepMostExpensive(trees);
      }
      for (const { bucket: _, ...edge } of tree.edges.filter(isIn)) {
        const none = { ...edge, started: 0, succeeded: 0, failed: 0, cancelled: 0 };
        const sum = entryOf(edges, JSON.stringify([edge.from, edge.to]), () => none);
        for (const key of ["started", "succeeded", "failed", "cancelled"] as const) sum[key] += edge[key];
      }
      time?.add(tree);
    },
    view: () => ({
      byAgent: Array.from(agents, ([agent, own]) => ({
        agent,
        ...own,
        ...percentiles(runTimes.get(agent)),
      })).sort((a, b) => b.cost - a.cost || inOrder(a.agent, b.agent)),
      byTree: keepMostExpensive(trees),
      trees: treeCount,
      byPerson: [...people.values()].sort(
        (a, b) => b.cost - a.cost || totalTokens(b) - totalTokens(a) || inOrder(a.user ?? "", b.user ?? ""),
      ),
      byModel: Array.from(models, asModel).sort((a, b) => b.cost - a.cost || inOrder(a.model, b.model)),
      byEdge: Array.from(edges.values(), withRate).sort(
        (a, b) => b.started - a.started || inOrder(a.from, b.from) || inOrder(a.to, b.to),
      ),
      ...(time ? { overTime: time.view() } : {}),
    }),
  };
}

/** Maximum number of trees in a report. */
const MOST_TREES = 100;

/** Sorts the trees by cost, and drops the cheapest if there are too many. */
function keepMostExpensive(trees: TreeRow[]): TreeRow[] {
  trees.sort((a, b) => b.cost - a.cost || totalTokens(b) - totalTokens(a) || inOrder(b.runId, a.runId));
  trees.splice(MOST_TREES);
  return trees;
}

function treeRow(
  { top, agent = "", task = "", user, end }: TreeUsage,
  cells: readonly UsageCell[],
  ends: TreeUsage["ends"],
): TreeRow {
  const row = {
    runId: top,
    agent,
    task,
    ...omitUndefined({ user, end }),
    runs: runsIn(ends),
    ...emptyUsage(),
  };
  for (const cell of cells) addUsage(row, cell);
  return row;
}

const runsIn = (ends: TreeUsage["ends"]): number =>
  ends.reduce((sum, { depths }) => sum + depths.reduce((all, each) => all + each, 0), 0);

function addPerson(people: Map<string | undefined, PersonRow>, tree: TreeRow): void {
  const { user } = tree;
  const person = entryOf(people, user, () => ({
    ...omitUndefined({ user }),
    trees: 0,
    runs: 0,
    ...emptyUsage(),
  }));
  person.trees++;
  person.runs += tree.runs;
  addUsage(person, tree);
}

const percentiles = (times: Durations = {}) => ({
  p50: percentile(times, 0.5),
  p95: percentile(times, 0.95),
});

function createTime(since: number, every: number) {
  const spent = new Map<string, SpendingInPeriod>();
  const runs = new Map<number, RunsInPeriod>();
  const trees = emptyTreeTotals();
  const stretch = (bucket: number): number => since + Math.floor((bucket - since) / every) * every;
  const spend = (cell: UsageCell): void => {
    const { bucket, agent, model } = cell;
    const from = stretch(bucket);
    const none = { from, agent, model, turns: 0, ...noSpending() };
    const then = entryOf(spent, JSON.stringify([from, agent, model]), () => none);
    then.turns += cell.turns;
    for (const key of SPENT_KEYS) then[key] += cell[key];
  };
  return {
    add(tree: TreeUsage): void {
      for (const cell of tree.cells) if (cell.bucket >= since && cell.model !== "") spend(cell);
      for (const { bucket, depths, completed, failed, cancelled } of tree.ends) {
        if (bucket < since) continue;
        const from = stretch(bucket);
        const none = { from, started: 0, completed: 0, failed: 0, cancelled: 0, depth: 0 };
        const then = entryOf(runs, from, () => none);
        then.started += depths.reduce((sum, each) => sum + each, 0);
        then.depth = Math.max(then.depth, depths.length - 1);
        then.completed += completed;
        then.failed += failed;
        then.cancelled += cancelled;
        depths.forEach((started, depth) => {
          trees.depths[depth] = (trees.depths[depth] ?? 0) + started;
        });
      }
      addTree(trees, tree);
    },
    view: (): UsageOverTime => ({
      every,
      spent: [...spent.values()].sort(
        (a, b) => a.from - b.from || inOrder(a.agent, b.agent) || inOrder(a.model, b.model),
      ),
      runs: [...runs.values()].sort((a, b) => a.from - b.from),
      trees,
    }),
  };
}

export const emptyTreeTotals = (): TreeTotals => ({
  completed: 0,
  withoutPeople: 0,
  failed: 0,
  cancelled: 0,
  depths: [],
  workMs: 0,
  busyMs: 0,
  reviewed: 0,
  reviews: 0,
  together: { trees: 0, tokens: 0, cost: 0, singleTokens: 0, singleCost: 0 },
});

function addTree(trees: TreeTotals, tree: TreeUsage): void {
  if (tree.end) trees[tree.end]++;
  if (tree.end === "completed" && !tree.people) trees.withoutPeople++;
  trees.workMs += tree.workMs;
  trees.busyMs += tree.busyMs + coveredTime(tree.open?.work ?? []);
  if (tree.reviews > 0) trees.reviewed++;
  trees.reviews += tree.reviews;
  if (runsIn(tree.ends) < 2) return;
  const { together } = trees;
  const single = baselineCost(tree.baseline);
  together.trees++;
  together.tokens += tree.cells.reduce((sum, cell) => sum + totalTokens(cell), 0);
  together.cost += tree.cells.reduce((sum, { cost }) => sum + cost, 0);
  together.singleTokens += tree.baseline.tokens;
  together.singleCost = single === null || together.singleCost === null ? null : together.singleCost + single;
}

function addUsage(total: RunUsage, usage: RunUsage): void {
  for (const key of USAGE_KEYS) total[key] += usage[key];
}

const USAGE_KEYS = Object.keys(emptyUsage()) as (keyof RunUsage)[];

function noSpending(): Omit<RunUsage, "toolCalls" | "activeMs"> {
  const { toolCalls: _, activeMs: __, ...own } = emptyUsage();
  return own;
}

const SPENT_KEYS = Object.keys(noSpending()) as (keyof ReturnType<typeof noSpending>)[];

/** The usage of a model. It has no `toolCalls`, because tool calls are counted for agents. */
function asModel([model, usage]: [string, Timed]): UsageReport["byModel"][number] {
  const { toolCalls: _, times, ...own } = usage;
  return { model, ...own, ...percentiles(times) };
}

function withRate(edge: Omit<EdgeCell, "bucket">): UsageReport["byEdge"][number] {
  const { succeeded, failed } = edge;
  return { ...edge, successRate: succeeded + failed > 0 ? succeeded / (succeeded + failed) : null };
}

function entryOf<K, T>(entries: Map<K, T>, key: K, make: () => T): T {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
