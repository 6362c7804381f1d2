import { isTurn } from "../../../../src/journal/events.ts";
import type { RunState } from "../../../../src/projections/folds/run-state.ts";
import { type RunUsage, totalTokens } from "../../../../src/projections/usage/run-usage.ts";
import { duration, money, shortCount } from "../../../../src/projections/words/format.ts";
import { runStateOf } from "../../live/folds.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { subtreeUsage } from "./usage-tab.tsx";

export function BudgetBars({ run, journal }: { run: RunJournal; journal: TreeJournal }) {
  const state = runStateOf(run.events);
  const { onBudget } = state.start!.limits;
  return (
    <>
      {budgetBars(state, run.row.turns, treeOf(journal, run)).map((bar) => (
        <Bar key={bar.name} bar={bar} />
      ))}
      <p className="text-muted text-xs">
        When the token or cost budget is used up,{" "}
        {onBudget === "suspend"
          ? "Cadre asks a person whether to raise it."
          : "the agent gets one last turn to report."}
      </p>
    </>
  );
}

/** Usage of the whole tree, which shares the root's budget. */
function treeOf(journal: TreeJournal, { row }: RunJournal) {
  const open = [...journal.runs.values()].map((run) => runStateOf(run.events).openModelCall?.estimate);
  return {
    ...subtreeUsage(journal, row.rootRunId),
    openTokens: open.reduce((sum, estimate) => sum + (estimate?.tokens ?? 0), 0),
    openCost: open.reduce((sum, estimate) => sum + (estimate?.cost ?? 0), 0),
  };
}

function Bar({ bar: { name, unit, spent, reserved, limit, projected } }: { bar: BudgetBar }) {
  const show = SHOW[unit];
  const part = (value: number) => `${limit === 0 ? 100 : Math.min(100, (value / limit) * 100)}%`;
  const isTight = spent + reserved > limit * 0.8;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="font-medium">{name}</span>
        <span className="text-muted tabular-nums">
          {show(spent)}
          {reserved > 0 && ` + ${show(reserved)} reserved`} of {show(limit)}
          {isTight && <span className="text-warn"> · close to the limit</span>}
        </span>
      </div>
      <div aria-hidden className="flex h-2.5 overflow-hidden rounded bg-raised">
        <div className={isTight ? "bg-warn" : "bg-accent"} style={{ width: part(spent) }} />
        <div
          className="border-accent border-y border-r bg-accent-soft"
          style={{ width: reserved > 0 ? part(reserved) : 0 }}
        />
      </div>
      {projected !== undefined && projected > spent && (
        <p className="text-muted text-xs">
          At this pace {show(projected)} by the last turn{projected > limit && ", over the limit"}
        </p>
      )}
    </div>
  );
}

const SHOW = { count: shortCount, money: (value: number) => money(value), time: duration };

/** U36: one limit of a run, with the amount spent, the amount reserved for open calls, and a forecast. */
interface BudgetBar {
  name: string;
  unit: "count" | "money" | "time";
  spent: number;
  reserved: number;
  limit: number;
  /**
   * The amount that the run would reach at its last turn, if it continues at this pace.
   * The forecast is absent before the first turn and after the run's end.
   */
  projected?: number;
}

/** `begun` counts a turn from its first attempt on, as the header and the result do. */
function budgetBars(
  state: RunState,
  begun: number,
  tree: { usage: RunUsage; runs: number; openTokens: number; openCost: number },
): BudgetBar[] {
  const { limits } = state.start!;
  const { estimate, purpose } = state.openModelCall ?? {};
  const open = state.openModelCall && isTurn(purpose) ? 1 : 0;
  const ahead = state.end || state.turns === 0 ? undefined : limits.maxTurns / state.turns;
  const bar = (
    name: string,
    unit: BudgetBar["unit"],
    spent: number,
    reserved: number,
    limit: number | undefined,
    paced = true,
  ): BudgetBar[] => {
    if (limit === undefined) return [];
    return [
      {
        name,
        unit,
        spent,
        reserved,
        limit,
        ...(ahead === undefined || !paced ? {} : { projected: spent * ahead }),
      },
    ];
  };
  const { maxTokens = limits.maxTokens, maxCost = limits.maxCost } = state.changedBudget;
  const may = { ...limits.tree, ...state.changedTreeBudget };
  return [
    ...bar("Turns", "count", begun - open, open, limits.maxTurns, false),
    ...bar("Active time", "time", state.usage.activeMs, 0, limits.maxDuration),
    ...bar("Tokens", "count", totalTokens(state.usage), estimate?.tokens ?? 0, maxTokens),
    ...bar("Cost", "money", state.usage.cost, estimate?.cost ?? 0, maxCost),
    ...bar("Events", "count", state.seq, 0, limits.maxEvents, false),
    ...bar("Tree: tokens", "count", totalTokens(tree.usage), tree.openTokens, may.maxTokens, false),
    ...bar("Tree: cost", "money", tree.usage.cost, tree.openCost, may.maxCost, false),
    ...bar("Tree: runs", "count", tree.runs, 0, may.maxRuns, false),
  ];
}
