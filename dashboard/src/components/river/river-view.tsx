// U35, U36: where the budget of a tree goes, as a river through its runs, and what a person does about it. The lines are a
// table; the bands behind them are the same numbers as a picture.

import { use, useState } from "react";
import type { RiverNode } from "../../../../src/projections/usage/budget-river.ts";
import { Moment } from "../../display/time/moment.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { Problem } from "../run-actions/problem.tsx";
import { useAction } from "../run-actions/use-action.ts";
import type { RunViewProps } from "../run-view.ts";
import { BudgetDialog, type BudgetTarget } from "./budget-dialog.tsx";
import type { Unit } from "./river-bands.ts";
import { defaultUnit, riverOf, runTarget, treeTarget } from "./river-of.ts";
import { RiverTable } from "./river-table.tsx";
import { TreeBudget } from "./tree-budget.tsx";
import { UnitSwitch } from "./unit-switch.tsx";

export interface RiverViewProps extends RunViewProps {
  /** Undefined: what is limited, or known. */
  unit: Unit | undefined;
  onUnit(unit: Unit): void;
}

export function RiverView({ journal, runId, unit: wanted, onUnit, onSelect }: RiverViewProps) {
  const river = riverOf(journal, runId);
  const unit = wanted ?? defaultUnit(river);
  const [place, setPlace] = useState<BudgetTarget>();
  const { busy, problem, perform } = useAction();
  const mayAct = useRefusal("operator") === undefined && use(Moment) === undefined;
  const top = river.nodes[0]!;
  const isOver = top.row.endedAt !== undefined;
  const actions = mayAct && {
    busy,
    onBudget: (node: RiverNode) => setPlace(runTarget(node, unit)),
    onHold: (node: RiverNode, how: "freeze" | "thaw") => void perform(() => client[how](node.runId)),
  };
  return (
    <ScrollBox label="Budget of the tree, run by run" className="min-h-0 flex-1 bg-surface">
      <TreeBudget
        top={top}
        limit={river.limit}
        unit={unit}
        onChange={mayAct && !isOver ? () => setPlace(treeTarget(river, unit)) : undefined}
      />
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <UnitSwitch unit={unit} onUnit={onUnit} />
        {unit === "cost" && river.unpriced > 0 && (
          <span className="text-muted text-sm">
            The price of {river.unpriced} calls is not known: it is more than this.
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
      {place && <BudgetDialog place={place} unit={unit} onClose={() => setPlace(undefined)} />}
    </ScrollBox>
  );
}
