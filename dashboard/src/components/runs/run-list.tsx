// The list of runs. Only visible rows are rendered, and the next page loads before the user reaches the end.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { type Column, nextSort, sortOf } from "./columns.ts";
import type { RunsSearch } from "./filter.ts";
import { RunRow, rowHeight } from "./run-row.tsx";
import { useStableList } from "./stable-order.ts";

export interface RunListProps {
  runs: readonly ListedRun[];
  /** Identifies the list. A new value makes the list start over. */
  about: string;
  search: RunsSearch;
  columns: readonly Column[];
  onSearch(search: RunsSearch): void;
  selection: Selection;
  isMore: boolean;
  onMore(): void;
  /** The content below the last row. */
  end: ReactNode;
}

const AHEAD = 20;

export function RunList(props: RunListProps) {
  const { runs, about, search, columns, onSearch, selection, isMore, onMore, end } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const { shown, fresh, removed, showNew } = useStableList(runs, about, scroller);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => shown[index]!.id,
    estimateSize: (index) => rowHeight(shown[index]!, isNarrow),
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isMore && last >= shown.length - AHEAD) onMore();
  }, [isMore, last, shown.length, onMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have a different height on a phone and in a search
  useEffect(() => rows.measure(), [rows, isNarrow, about]);
  useRowKeys(scroller, shown, selection, (index) => rows.scrollToIndex(index));
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {fresh > 0 && (
        <Button
          look="main"
          size="small"
          className="absolute top-10 left-1/2 z-20 -translate-x-1/2 rounded-full shadow-lg"
          onClick={showNew}
        >
          <ArrowUp size={13} aria-hidden /> {fresh} new
        </Button>
      )}
      <div ref={scroller} data-testid="runs" className="min-h-0 flex-1 overflow-auto">
        <table
          className="w-full table-fixed border-collapse text-sm"
          aria-rowcount={isMore ? -1 : shown.length + 1}
        >
          <Head {...{ selection, search, columns, onSearch }} runs={shown} />
          <tbody>
            {above > 0 && <Gap height={above} />}
            {items.map(({ index, key }) => (
              <RunRow
                key={key}
                run={shown[index]!}
                index={index}
                columns={columns}
                isGone={removed.has(shown[index]!.id)}
                isSelected={selection.has(shown[index]!.id)}
                onSelect={(range) => selection.toggle(shown, index, range)}
              />
            ))}
            {below > 0 && <Gap height={below} />}
          </tbody>
        </table>
        {end}
      </div>
    </div>
  );
}

/** A placeholder for the rows outside the view. It spans two columns, because a phone shows only two columns. */
function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={2} style={{ height }} />
    </tr>
  );
}

interface HeadProps extends Pick<RunListProps, "selection" | "runs" | "search" | "columns" | "onSearch"> {}

function Head({ selection, runs, search, columns, onSearch }: HeadProps) {
  const isAll = runs.length > 0 && runs.every(({ id }) => selection.has(id));
  const sorted = sortOf(search);
  return (
    <thead className="sticky top-0 z-10 bg-surface text-left text-muted text-xs shadow-[0_1px_0_var(--color-line)]">
      <tr className="hidden h-8 md:table-row">
        <th scope="col" className="w-9 px-2">
          <input
            type="checkbox"
            aria-label="Select all shown runs"
            className="mx-auto block size-3.5 accent-accent"
            checked={isAll}
            onChange={() => (isAll ? selection.clear() : selection.add(runs))}
          />
        </th>
        {columns.map((column) => {
          const direction = sorted?.sort === column.sort ? sorted?.direction : undefined;
          return (
            <th
              key={column.name}
              scope="col"
              aria-sort={column.sort && direction}
              className={`px-2 font-medium ${column.className}`}
            >
              {column.sort ? (
                <button
                  type="button"
                  className={classNames(
                    "-mx-1 inline-flex h-7 items-center gap-0.5 rounded px-1 hover:bg-raised hover:text-ink",
                    direction && "text-ink",
                  )}
                  onClick={() => onSearch(nextSort(search, column))}
                >
                  {column.label}
                  {direction === "ascending" && <ArrowUp size={12} aria-hidden />}
                  {direction === "descending" && <ArrowDown size={12} aria-hidden />}
                </button>
              ) : (
                column.label
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function useRowKeys(
  scroller: { current: HTMLElement | null },
  shown: readonly ListedRun[],
  selection: Selection,
  show: (index: number) => void,
): void {
  const [wanted, setWanted] = useState<number>();
  const current = (): number => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-run]")?.dataset["run"];
    return shown.findIndex(({ id }) => id === focused);
  };
  const go = (index: number): void => {
    if (shown.length === 0) return;
    const next = Math.max(0, Math.min(shown.length - 1, index));
    show(next);
    setWanted(next);
  };
  // Waits a frame, because the row might not be rendered yet.
  useEffect(() => {
    if (wanted === undefined) return;
    const frame = requestAnimationFrame(() => {
      const id = shown[wanted]?.id;
      scroller.current?.querySelector<HTMLElement>(`[data-run="${id}"] a`)?.focus({ preventScroll: true });
      setWanted(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [wanted, shown, scroller]);
  useHotkeys([
    { keys: "j", label: "Next run", run: () => go(current() + 1) },
    { keys: "k", label: "Previous run", run: () => go(current() < 0 ? shown.length - 1 : current() - 1) },
    {
      keys: "x",
      label: "Select the run",
      run: () => {
        const index = current();
        if (index >= 0) selection.toggle(shown, index, false);
      },
    },
  ]);
}

/** The selected runs. Each run has the state that it had when the user selected it. */
export interface Selection {
  readonly runs: readonly ListedRun[];
  has(id: string): boolean;
  /** If `range` is set, also selects all rows between this row and the last selected row. */
  toggle(shown: readonly ListedRun[], index: number, range: boolean): void;
  add(runs: readonly ListedRun[]): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, ListedRun>>(new Map());
  const [last, setLast] = useState<string>();
  const add = (runs: readonly ListedRun[]) =>
    setChosen((before) => new Map([...before, ...runs.map((run): [string, ListedRun] => [run.id, run])]));
  return {
    runs: [...chosen.values()],
    has: (id) => chosen.has(id),
    toggle(shown, index, range) {
      const run = shown[index]!;
      const from = range ? shown.findIndex(({ id }) => id === last) : -1;
      setLast(run.id);
      if (from >= 0) return add(shown.slice(Math.min(from, index), Math.max(from, index) + 1));
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(run.id)) next.set(run.id, run);
        return next;
      });
    },
    add,
    clear: () => setChosen(new Map()),
  };
}
