// U35, U36: where the budget of a tree goes, run by run, and the controls to change it. A table has the numbers; the
// bands behind it show the same as a picture.

import { use, useState } from "react";
import {
  type BudgetRiver,
  budgetRiver,
  type RiverNode,
} from "../../../../src/projections/usage/budget-river.ts";
import { Moment } from "../../display/time/use-now.ts";
import { client } from "../../live/client.ts";
import { runBudgetOf } from "../../live/folds.ts";
import { useRefusal } from "../../live/me.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import type { RunViewProps } from "../run-view.ts";
import { limitIn } from "./amounts.ts";
import { BudgetDialog, type BudgetTarget } from "./budget-dialog.tsx";
import type { Unit } from "./river-bands.ts";
import { RiverTable } from "./river-table.tsx";
import { TreeBudget } from "./tree-budget.tsx";

export interface RiverViewProps extends RunViewProps {
  /** Undefined: chosen by what is limited or known. */
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
    onBudget: (node: RiverNode) => setTarget(runTarget(node, unit)),
    onFreeze: (node: RiverNode, how: "freeze" | "thaw") =>
      void perform(() => client.post(`/api/runs/{id}/${how}`, { id: node.runId })),
  };
  return (
    <ScrollBox label="Budget of the tree by run" className="min-h-0 flex-1 bg-surface">
      <TreeBudget
        top={top}
        limit={river.limit}
        unit={unit}
        onChange={mayAct && !isOver ? () => setTarget(treeTarget(river, unit)) : undefined}
      />
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <UnitSwitch unit={unit} onUnit={onUnit} />
        {unit === "cost" && river.unpriced > 0 && (
          <span className="text-muted text-sm">
            {river.unpriced} calls have no known price, so the real cost is higher.
          </span>
        )}
        <Problem text={problem} />
      </div>
      <RiverTable
        nodes={river.nodes}
        unit={unit}
        selected={runId}
        actions={actions || undefined}
        onSelect={onSelect}
      />
      {target && <BudgetDialog target={target} unit={unit} onClose={() => setTarget(undefined)} />}
    </ScrollBox>
  );
}

function riverOf(journal: TreeJournal, runId: string): BudgetRiver {
  const { rootRunId } = journal.runs.get(runId)!.row;
  const budgets = new Map([...journal.runs].map(([id, { events }]) => [id, runBudgetOf(events)]));
  // If the root's journal cannot be read, only the part below the run is shown.
  return budgetRiver(budgets, budgets.has(rootRunId) ? rootRunId : runId);
}

function runTarget({ runId, agent, limit, own }: RiverNode, unit: Unit): BudgetTarget {
  const used = own.spent[unit] + own.reserved[unit];
  return { runId, name: agent, tree: false, limit: limitIn(limit, unit), used };
}

function treeTarget({ nodes: [top], limit }: BudgetRiver, unit: Unit): BudgetTarget {
  const { runId, agent, branch } = top!;
  const used = branch.spent[unit] + branch.reserved[unit];
  return { runId, name: agent, tree: true, limit: limitIn(limit, unit), used };
}

/** Money if there is a cost limit or some cost; otherwise tokens, which are always known. */
function defaultUnit({ nodes: [top], limit, nodes }: BudgetRiver): Unit {
  const limited = [limit, ...nodes.map((node) => node.limit)];
  if (limited.some(({ maxCost }) => maxCost !== undefined)) return "cost";
  if (limited.some(({ maxTokens }) => maxTokens !== undefined)) return "tokens";
  return (top?.branch.spent.cost ?? 0) > 0 ? "cost" : "tokens";
}

function UnitSwitch({ unit, onUnit }: { unit: Unit; onUnit(unit: Unit): void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Unit</legend>
      {(["cost", "tokens"] as const).map((each) => (
        <Button
          key={each}
          size="small"
          look={each === unit ? "plain" : "quiet"}
          aria-pressed={each === unit}
          className="max-md:h-10"
          onClick={() => onUnit(each)}
        >
          {each === "cost" ? "Money" : "Tokens"}
        </Button>
      ))}
    </fieldset>
  );
}
