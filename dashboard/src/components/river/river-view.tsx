// U35, U36: shows how the runs of a tree use its budget, and lets people change the budget.
// A table shows the numbers, and the bands behind the table draw the same numbers.

import { use, useState } from "react";
import type { Budget } from "../../../../src/journal/events.ts";
import {
  type BudgetRiver,
  budgetRiver,
  type RiverNode,
  remainingBudget,
} from "../../../../src/projections/usage/budget-river.ts";
import { Moment } from "../../display/time/use-now.ts";
import { client } from "../../live/client.ts";
import { runBudgetOf } from "../../live/folds.ts";
import { useRefusal } from "../../live/me.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Problem } from "../../ui/problem.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { ToggleGroup } from "../../ui/toggle-group.tsx";
import type { RunViewProps } from "../run-view.ts";
import { BudgetDialog, type BudgetTarget } from "./budget-dialog.tsx";
import { formatAmount, limitIn, type Shade, sharesOf, type Unit } from "./river-bands.ts";
import { RiverTable } from "./river-table.tsx";

export interface RiverViewProps extends RunViewProps {
  /** The chosen unit. If undefined, the view uses money if a cost is limited or known, and tokens otherwise. */
  unit: Unit | undefined;
  onUnit(unit: Unit): void;
}

export function RiverView({ journal, runId, unit: wanted, onUnit, onSelect }: RiverViewProps) {
  const river = riverOf(journal, runId);
  const unit = wanted ?? defaultUnit(river);
  const [target, setTarget] = useState<BudgetTarget>();
  const { busy, problem, perform } = useAction();
  const mayAct = useRefusal("operator") === undefined && use(Moment) === undefined;
  const top = river.nodes[0]!;
  const isOver = top.row.endedAt !== undefined;
  const actions = mayAct && {
    busy,
    onBudget: (node: RiverNode) => setTarget(budgetTarget(node, unit)),
    onFreeze: (node: RiverNode, how: "freeze" | "thaw") =>
      void perform(() => client.post(`/api/runs/{id}/${how}`, { id: node.runId })),
  };
  return (
    <ScrollBox label="Budget of the tree by run" className="min-h-0 flex-1 bg-surface">
      <TreeBudget
        top={top}
        limit={river.limit}
        unit={unit}
        onChange={mayAct && !isOver ? () => setTarget(budgetTarget(top, unit, river.limit)) : undefined}
      />
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <ToggleGroup label="Unit" choices={UNITS} value={unit} onChange={onUnit} />
        {unit === "cost" && river.unpriced > 0 && (
          <span className="text-muted text-sm">
            {river.unpriced} calls have no known price, so the real cost is higher.
          </span>
        )}
        <Problem text={problem} />
      </div>
      <RiverTable
        {...{ unit, onSelect }}
        treeLimit={limitIn(river.limit, unit)}
        nodes={river.nodes}
        selected={runId}
        actions={actions || undefined}
      />
      {target && <BudgetDialog target={target} unit={unit} onClose={() => setTarget(undefined)} />}
    </ScrollBox>
  );
}

function riverOf(journal: TreeJournal, runId: string): BudgetRiver {
  const { rootRunId } = journal.runs.get(runId)!.row;
  const budgets = new Map([...journal.runs].map(([id, { events }]) => [id, runBudgetOf(events)]));
  // If the root's journal cannot be read, the river shows only the selected run and the runs below it.
  return budgetRiver(budgets, budgets.has(rootRunId) ? rootRunId : runId);
}

/** The budget to change: the budget of a run, or of the whole tree if `treeLimit` is given. */
function budgetTarget(
  { runId, agent, limit, own, branch }: RiverNode,
  unit: Unit,
  treeLimit?: Budget,
): BudgetTarget {
  const tree = treeLimit !== undefined;
  const { spent, reserved } = tree ? branch : own;
  const used = spent[unit] + reserved[unit];
  return { runId, name: agent, tree, limit: limitIn(treeLimit ?? limit, unit), used };
}

/** The unit is money if a cost is limited or known. Otherwise it is tokens, which are always known. */
function defaultUnit({ nodes: [top], limit, nodes }: BudgetRiver): Unit {
  const limited = [limit, ...nodes.map((node) => node.limit)];
  if (limited.some(({ maxCost }) => maxCost !== undefined)) return "cost";
  if (limited.some(({ maxTokens }) => maxTokens !== undefined)) return "tokens";
  return (top?.branch.spent.cost ?? 0) > 0 ? "cost" : "tokens";
}

const UNITS: Record<Unit, string> = { cost: "Money", tokens: "Tokens" };

interface TreeBudgetProps {
  top: RiverNode;
  limit: Budget;
  unit: Unit;
  /** Called when the user wants to change the budget. Undefined if the user is not allowed to change budgets. */
  onChange: (() => void) | undefined;
}

/** The budget of the whole tree, with the amounts that are spent, reserved, wasted and left. */
function TreeBudget({ top, limit, unit, onChange }: TreeBudgetProps) {
  const may = limitIn(limit, unit);
  const left = remainingBudget(top.branch, limit)[unit];
  const shares = sharesOf(top.branch, unit);
  const used = shares.reduce((sum, { amount }) => sum + amount, 0);
  const all = Math.max(may ?? 0, used) || 1;
  return (
    <section aria-label="Budget of the tree" className="flex flex-col gap-2 px-3 pt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">
          {may === undefined
            ? "No limit for the whole tree"
            : `${formatAmount(may, unit)} for the whole tree`}
        </h2>
        <span className="text-muted text-sm">
          {left === undefined ? "each run has its own limit" : `${formatAmount(left, unit)} left`}
        </span>
        {onChange && (
          <Button size="small" className="max-md:h-10" onClick={onChange}>
            {may === undefined ? "Set a limit" : "Change"}
          </Button>
        )}
      </div>
      <div aria-hidden className="flex h-4 overflow-hidden rounded border border-edge bg-surface">
        {shares.map(({ shade, amount }) => (
          <div key={shade} className={FILLS[shade]} style={{ width: `${(amount / all) * 100}%` }} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {shares.map(({ shade, amount }) => (
          <li key={shade} className="flex items-center gap-1.5">
            <span aria-hidden className={classNames("size-3 rounded-sm", FILLS[shade])} />
            {SHADE_WORDS[shade]} <span className="tabular-nums">{formatAmount(amount, unit)}</span>
          </li>
        ))}
        {left !== undefined && (
          <li className="flex items-center gap-1.5">
            <span aria-hidden className="size-3 rounded-sm border border-edge" />
            Left <span className="tabular-nums">{formatAmount(left, unit)}</span>
          </li>
        )}
      </ul>
    </section>
  );
}

const FILLS: Record<Shade, string> = { spent: "bg-accent", reserved: "bg-info/45", wasted: "bg-bad" };

const SHADE_WORDS: Record<Shade, string> = {
  spent: "Spent",
  reserved: "Reserved for calls under way",
  wasted: "Wasted on failed attempts",
};
