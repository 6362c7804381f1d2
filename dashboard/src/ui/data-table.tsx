import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface DataTableProps {
  label: string;
  head: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[]; isChosen?: boolean }[];
  /** How many columns on the left contain text. All other columns contain numbers. */
  words?: number;
  /** Whether the first cell of each row is the row's name. */
  hasRowNames?: boolean;
  className?: string;
}

/** A table that scrolls in its own box. Keyboard users can scroll it too. */
export function DataTable({ label, head, rows, words = 1, hasRowNames, className }: DataTableProps) {
  const side = (index: number): string => (index < words ? "text-left" : "text-right");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classNames("overflow-auto", className)} tabIndex={0} aria-label={label}>
      <table className="w-full text-sm tabular-nums">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-muted text-xs">
            {head.map((name, index) => (
              <th key={name} className={`px-4 py-2 font-medium ${side(index)}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, cells, isChosen }) => (
            <tr key={key} className={isChosen ? "bg-accent-soft" : undefined}>
              {cells.map((cell, index) => {
                const Cell = hasRowNames && index === 0 ? "th" : "td";
                return (
                  <Cell
                    key={head[index]}
                    className={`whitespace-nowrap px-4 py-1.5 font-normal ${side(index)}`}
                  >
                    {cell}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
