import type { RiverNode } from "../../../../src/projections/usage/budget-river.ts";
import { classNames } from "../../ui/class-names.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { bandEnd, type Shape, type Unit } from "./river-bands.ts";
import { RiverPicture } from "./river-picture.tsx";
import { RiverRow, type RowActions } from "./river-row.tsx";

export interface RiverTableProps {
  nodes: readonly RiverNode[];
  unit: Unit;
  selected: string;
  actions: RowActions | undefined;
  onSelect(runId: string): void;
}

const HEADS = [
  { label: "Spent", when: "" },
  { label: "Reserved", when: "max-lg:hidden" },
  { label: "Wasted", when: "max-lg:hidden" },
  { label: "Branch", when: "max-lg:hidden" },
  { label: "Limit", when: "max-md:hidden" },
  { label: "Left", when: "" },
];

export function RiverTable({ nodes, unit, selected, actions, onSelect }: RiverTableProps) {
  const shape = useNarrow() ? NARROW : WIDE;
  const width = Math.max(...nodes.map((node) => bandEnd(node, shape)));
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-line border-b text-muted text-xs">
          <th scope="col" className="px-3 py-1 text-left font-medium">
            Run
          </th>
          {HEADS.map(({ label, when }) => (
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
