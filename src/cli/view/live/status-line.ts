// The status line of the live screen (U51): the most important run, the preset, the used budget, and the number of runs.
// If the status line is too long, its least important parts are left out first.

import type { Budget } from "../../../journal/events.ts";
import { emptyUsage, type RunUsage, totalTokens } from "../../../projections/usage/run-usage.ts";
import { elapsed, money, plural, shortCost, shortCount } from "../../../projections/words/format.ts";
import { cellWidth, truncate } from "../screen.ts";
import { todoText, turnText } from "./activity.ts";
import { type LiveRun, type Mark, markOf, needsPerson, pathText } from "./live-tree.ts";

export interface StatusFacts {
  now: number;
  /** The permission preset for runs that set none. */
  preset: string;
  /** Number of runs that do not fit into the drawing. */
  hidden: number;
}

export function statusLine(all: readonly LiveRun[], facts: StatusFacts, cells: number): string {
  const top = all[0]!;
  const parts = all.length === 1 ? partsOfRun(top, facts) : partsOfTree(all, facts);
  return truncate(joinParts(parts, cells), cells);
}

/** If the line is too long, the parts with the highest rank are left out first. */
type Part = [rank: number, text: string];

function joinParts(parts: readonly Part[], cells: number): string {
  let kept = parts.filter(([, text]) => text !== "");
  const text = (): string => kept.map(([, text]) => text).join(" · ");
  while (kept.length > 1 && cellWidth(text()) > cells) {
    const last = Math.max(...kept.map(([rank]) => rank));
    kept = kept.filter(([rank]) => rank !== last);
  }
  return text();
}

function partsOfRun(run: LiveRun, { now, preset }: StatusFacts): Part[] {
  const { what = "", time = "" } = run.activity.now(now) ?? {};
  const isWaiting = needsPerson(run);
  return [
    [0, pathText(run)],
    [1, isWaiting ? "needs you" : what],
    [2, isWaiting ? "" : time],
    [3, presetOf(run, preset)],
    [4, spentOf([run])],
    [5, turnText(run.state)],
    [6, todoText(run.state)],
  ];
}

function partsOfTree(all: readonly LiveRun[], { now, preset, hidden }: StatusFacts): Part[] {
  const top = all[0]!;
  const marks = all.map(markOf);
  const many = (mark: Mark, words: string): string => {
    const found = marks.filter((each) => each === mark).length;
    return found === 0 ? "" : `${found} ${words}`;
  };
  const others = [many("●", "at work"), many("○", "waiting"), many("✓", "done"), many("✗", "not done")];
  return [
    [1, hidden === 0 ? "" : `… ${hidden} more`],
    [0, many("?", marks.filter((mark) => mark === "?").length === 1 ? "needs you" : "need you")],
    [6, top.state.end ? "" : pathText(busiest(all))],
    [3, top.state.end ? "" : presetOf(top, preset)],
    [2, spentOf(all)],
    [4, `${plural(all.length, "run")}: ${others.filter((text) => text !== "").join(", ")}`],
    [5, elapsed((top.state.end?.ts ?? now) - top.state.createdAt)],
  ];
}

/** Finds a run that needs a person. If there is none, finds the working run with the latest event. */
function busiest(all: readonly LiveRun[]): LiveRun {
  const asks = all.find(needsPerson);
  if (asks) return asks;
  const atWork = all.filter((run) => markOf(run) === "●");
  return atWork.toSorted((left, right) => right.state.updatedAt - left.state.updatedAt)[0] ?? all[0]!;
}

const presetOf = ({ state }: LiveRun, preset: string): string =>
  `preset ${state.start?.permissions?.preset ?? preset}`;

/** Describes the spent budget, for example `12k of 200k tokens · $0.02 of $5`. */
function spentOf(all: readonly LiveRun[]): string {
  const usage = all.map(({ state }) => state.usage).reduce(sum, emptyUsage());
  const { maxTokens, maxCost } = budgetOf(all);
  const tokens = shortCount(totalTokens(usage));
  return [
    maxTokens === undefined ? `${tokens} tokens` : `${tokens} of ${shortCount(maxTokens)} tokens`,
    maxCost === undefined ? shortCost(usage) : `${shortCost(usage)} of ${money(maxCost)}`,
  ].join(" · ");
}

/** Returns the tree's budget with all increases. If there is only one run, the run's own budget is used as well. */
function budgetOf(all: readonly LiveRun[]): Budget {
  const { start, changedBudget } = all[0]!.state;
  if (start?.parentRunId !== undefined) return {};
  const own: Budget = all.length > 1 ? {} : { ...start?.limits, ...changedBudget };
  const given = all
    .flatMap(({ state }) => [...state.decisions.values()])
    .map(({ scope, limits }) => (scope === "tree" ? limits : undefined));
  return Object.assign({}, own, start?.limits.tree, ...given) as Budget;
}

const sum = (left: RunUsage, right: RunUsage): RunUsage => ({
  ...left,
  input: left.input + right.input,
  output: left.output + right.output,
  cost: left.cost + right.cost,
  unpriced: left.unpriced + right.unpriced,
});
