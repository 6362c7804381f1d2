import { Snowflake } from "lucide-react";
import type { ReactNode } from "react";
import { type RiverNode, remainingBudget } from "../../../../src/projections/usage/budget-river.ts";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useNarrow } from "../../ui/use-media.ts";
import {
  bandEnd,
  formatCell,
  limitIn,
  riverBands,
  type Shade,
  type Shape,
  type Unit,
} from "./river-bands.ts";

export interface RiverTableProps {
  nodes: readonly RiverNode[];
  unit: Unit;
  /** The limit of the whole tree. It also applies to every run without a limit of its own. */
  treeLimit: number | undefined;
  selected: string;
  actions: RowActions | undefined;
  onSelect(runId: string): void;
}

/** The columns with amounts. `when` hides a column on screens that are too narrow for it. */
const COLUMNS = [
  { label: "Spent", when: "" },
  { label: "Reserved", when: "max-lg:hidden" },
  { label: "Wasted", when: "max-lg:hidden" },
  { label: "Branch", when: "max-lg:hidden" },
  { label: "Limit", when: "max-md:hidden" },
  { label: "Left", when: "" },
];

export function RiverTable({ nodes, unit, treeLimit, selected, actions, onSelect }: RiverTableProps) {
  const shape = useNarrow() ? NARROW : WIDE;
  const width = Math.max(...nodes.map((node) => bandEnd(node, shape)));
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-line border-b text-muted text-xs">
          <th scope="col" className="px-3 py-1 text-left font-medium">
            Run
          </th>
          {COLUMNS.map(({ label, when }) => (
            <th key={label} scope="col" className={classNames("px-2 py-1 text-right font-medium", when)}>
              {label}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node, index) => (
          <RiverRow
            key={node.runId}
            node={node}
            unit={unit}
            treeLimit={treeLimit}
            inset={bandEnd(node, shape) + 8}
            height={shape.row}
            selected={node.runId === selected}
            actions={actions}
            onSelect={onSelect}
            river={index === 0 ? <RiverPicture {...{ nodes, unit, shape, width, selected }} /> : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

const WIDE: Shape = { row: 44, indent: 40, widest: 36 };
const NARROW: Shape = { row: 60, indent: 14, widest: 11 };

interface RiverPictureProps extends Pick<RiverTableProps, "nodes" | "unit" | "selected"> {
  shape: Shape;
  /** The width of the space to the left of the run names. */
  width: number;
}

/** Draws the bands behind the table rows. The table shows the same numbers as text. */
function RiverPicture({ nodes, unit, shape, width, selected }: RiverPictureProps) {
  return (
    <svg
      aria-hidden="true"
      data-river=""
      width={width}
      height={nodes.length * shape.row}
      className="pointer-events-none absolute top-0 left-0"
    >
      {riverBands(nodes, unit, shape).map((band) => (
        <path
          key={`${band.runId} ${band.shade}`}
          d={band.path}
          fill="none"
          strokeWidth={band.width}
          strokeDasharray={band.frozen ? "3 3" : undefined}
          className={classNames(STROKES[band.shade], band.runId !== selected && "opacity-75")}
        />
      ))}
    </svg>
  );
}

const STROKES: Record<Shade, string> = {
  spent: "stroke-accent",
  reserved: "stroke-info/45",
  wasted: "stroke-bad",
};

interface RiverRowProps {
  node: RiverNode;
  unit: Unit;
  treeLimit: number | undefined;
  /** The free width to the left of the run's name. The bands are drawn in this space. */
  inset: number;
  height: number;
  selected: boolean;
  /** Actions that change the run's budget. Undefined if the user is not allowed to change budgets. */
  actions: RowActions | undefined;
  /** The picture of the bands. Only the first row has it; the picture extends behind all rows. */
  river: ReactNode;
  onSelect(runId: string): void;
}

interface RowActions {
  busy: boolean;
  onBudget(node: RiverNode): void;
  onFreeze(node: RiverNode, how: "freeze" | "thaw"): void;
}

function RiverRow(props: RiverRowProps) {
  const { node, unit, treeLimit, inset, height, selected, actions, river, onSelect } = props;
  const { row, own, branch, limit, runId, agent } = node;
  const cells = [
    own.spent[unit],
    own.reserved[unit],
    own.wasted[unit],
    branch.spent[unit],
    limitIn(limit, unit) ?? (treeLimit === undefined ? "none" : "shared"),
    remainingBudget(own, limit)[unit] ?? "–",
  ];
  return (
    <tr style={{ height }} className={classNames("border-line border-b", selected && "bg-accent-soft/50")}>
      <th
        scope="row"
        className="relative w-full min-w-48 max-w-0 py-0 pr-2 text-left font-normal"
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
            <VisibleText text={agent} className="font-medium" />{" "}
            <VisibleText text={row.task} className="text-muted text-xs max-md:sr-only" />
          </button>
          <StatusBadge run={row} />
        </div>
      </th>
      {cells.map((cell, column) => (
        <td
          key={COLUMNS[column]!.label}
          className={classNames("px-2 text-right tabular-nums", COLUMNS[column]!.when)}
          title={cell === "shared" ? "This run shares the limit of the whole tree" : undefined}
        >
          {typeof cell === "number" ? formatCell(cell, unit) : <span className="text-muted">{cell}</span>}
        </td>
      ))}
      <td className="py-0 pr-2 text-right">{actions && <Actions node={node} {...actions} />}</td>
    </tr>
  );
}

function Actions({ node, busy, onBudget, onFreeze }: RowActions & { node: RiverNode }) {
  const { row, agent, runId, frozen } = node;
  if (row.endedAt !== undefined || row.cancelRequested) return null;
  const how = frozen.includes(runId) ? "thaw" : "freeze";
  const verb = how === "freeze" ? "Freeze" : "Thaw";
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
        aria-label={`${verb} ${agent}${below}`}
        onClick={() => onFreeze(node, how)}
      >
        <Snowflake size={13} aria-hidden />
        <span className="max-sm:sr-only">{verb}</span>
      </Button>
    </span>
  );
}
