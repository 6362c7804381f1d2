import type { RiverNode } from "../../../../src/projections/usage/budget-river.ts";
import { classNames } from "../../ui/class-names.ts";
import { type Band, riverBands, type Shade, type Shape, type Unit } from "./river-bands.ts";

export interface RiverPictureProps {
  nodes: readonly RiverNode[];
  unit: Unit;
  shape: Shape;
  /** Width up to the run names. */
  width: number;
  selected: string;
}

/** The bands behind the table rows; the table has the same numbers as text. */
export function RiverPicture({ nodes, unit, shape, width, selected }: RiverPictureProps) {
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
          className={classNames(strokeOf(band), band.runId === selected ? "" : "opacity-75")}
        />
      ))}
    </svg>
  );
}

const strokeOf = ({ shade }: Band): string => STROKES[shade];

const STROKES: Record<Shade, string> = {
  spent: "stroke-accent",
  reserved: "stroke-info/45",
  wasted: "stroke-bad",
};

export const FILLS: Record<Shade, string> = {
  spent: "bg-accent",
  reserved: "bg-info/45",
  wasted: "bg-bad",
};

export const SHADE_WORDS: Record<Shade, string> = {
  spent: "Spent",
  reserved: "Reserved for calls under way",
  wasted: "Wasted on failed attempts",
};
