import type { Budget } from "../../../../src/journal/events.ts";
import { type RiverNode, remainingBudget } from "../../../../src/projections/usage/budget-river.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { formatAmount, limitIn } from "./amounts.ts";
import { type Shade, sharesOf, type Unit } from "./river-bands.ts";

export interface TreeBudgetProps {
  top: RiverNode;
  limit: Budget;
  unit: Unit;
  /** Undefined if the user may change nothing. */
  onChange: (() => void) | undefined;
}

/** The budget of the whole tree and how much of it is spent, reserved, wasted and left. */
export function TreeBudget({ top, limit, unit, onChange }: TreeBudgetProps) {
  const may = limitIn(limit, unit);
  const left = remainingBudget(top.branch, limit)[unit];
  const shares = sharesOf(top.branch, unit);
  const all =
    Math.max(
      may ?? 0,
      shares.reduce((sum, { amount }) => sum + amount, 0),
    ) || 1;
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
