import { Snowflake } from "lucide-react";
import type { ReactNode } from "react";
import { type RiverNode, remainingBudget } from "../../../../src/projections/usage/budget-river.ts";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { formatCell, limitIn } from "./amounts.ts";
import type { Unit } from "./river-bands.ts";

export interface RiverRowProps {
  node: RiverNode;
  unit: Unit;
  /** Space for the bands before the name. */
  inset: number;
  height: number;
  selected: boolean;
  /** Undefined if the user may change nothing. */
  actions: RowActions | undefined;
  /** The bands, drawn behind this and all following rows. */
  river: ReactNode;
  onSelect(runId: string): void;
}

export interface RowActions {
  busy: boolean;
  onBudget(node: RiverNode): void;
  onFreeze(node: RiverNode, how: "freeze" | "thaw"): void;
}

export function RiverRow(props: RiverRowProps) {
  const { node, unit, inset, height, selected, actions, river, onSelect } = props;
  const { row, own, branch, limit, runId, agent } = node;
  const may = limitIn(limit, unit);
  const left = remainingBudget(own, limit)[unit];
  return (
    <tr style={{ height }} className={classNames("border-line border-b", selected && "bg-accent-soft/50")}>
      <th
        scope="row"
        className="relative w-full max-w-0 py-0 pr-2 text-left font-normal"
        style={{ paddingLeft: inset }}
      >
        {river}
        <div className="flex min-w-0 items-center gap-x-2 max-md:flex-col max-md:items-start">
          <button
            type="button"
            title={row.task}
            className="min-w-0 max-w-full truncate rounded py-1 text-left hover:underline"
            onClick={() => onSelect(runId)}
          >
            <span className="font-medium">
              <VisibleText text={agent} />
            </span>{" "}
            <span className="text-muted text-xs max-md:sr-only">
              <VisibleText text={row.task} />
            </span>
          </button>
          <StatusBadge run={row} />
        </div>
      </th>
      <Amount value={own.spent[unit]} unit={unit} />
      <Amount value={own.reserved[unit]} unit={unit} wide />
      <Amount value={own.wasted[unit]} unit={unit} wide />
      <Amount value={branch.spent[unit]} unit={unit} wide />
      <td className="px-2 text-right tabular-nums max-md:hidden">
        {may === undefined ? <span className="text-muted">none</span> : formatCell(may, unit)}
      </td>
      <td className="px-2 text-right tabular-nums">
        {left === undefined ? <span className="text-muted">–</span> : formatCell(left, unit)}
      </td>
      <td className="py-0 pr-2 text-right">{actions && <Actions node={node} {...actions} />}</td>
    </tr>
  );
}

function Amount({ value, unit, wide = false }: { value: number; unit: Unit; wide?: boolean }) {
  return (
    <td className={classNames("px-2 text-right tabular-nums", wide && "max-lg:hidden")}>
      {formatCell(value, unit)}
    </td>
  );
}

function Actions({ node, busy, onBudget, onFreeze }: RowActions & { node: RiverNode }) {
  const { row, agent, runId, frozen } = node;
  if (row.endedAt !== undefined || row.cancelRequested) return null;
  const how = frozen.includes(runId) ? "thaw" : "freeze";
  const below = node.branch.runs > 1 ? " and all runs below it" : "";
  return (
    <span className="flex justify-end gap-1">
      <Button
        size="small"
        className="max-md:h-10 max-md:min-w-10"
        aria-label={`Change the budget of ${agent}`}
        title="Change the budget"
        onClick={() => onBudget(node)}
      >
        ±
      </Button>
      <Button
        size="small"
        disabled={busy}
        className="max-md:h-10 max-md:min-w-10"
        aria-label={`${how === "freeze" ? "Freeze" : "Thaw"} ${agent}${below}`}
        onClick={() => onFreeze(node, how)}
      >
        <Snowflake size={13} aria-hidden />
        <span className="max-sm:sr-only">{how === "freeze" ? "Freeze" : "Thaw"}</span>
      </Button>
    </span>
  );
}
