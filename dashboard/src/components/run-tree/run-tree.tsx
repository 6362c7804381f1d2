// U07, S1-60, S1-61, S2-80: the run tree as navigation. It follows the WAI-ARIA tree pattern, so the arrow keys reach every node.
// Only visible nodes are rendered, so a tree of a thousand runs is as fast as a small one.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { rollUps, treeLevels, treeOrder } from "./roll-up.ts";
import { TreeNode } from "./tree-node.tsx";

export interface RunTreeProps {
  journal: TreeJournal;
  rootId: string;
  runId: string;
  /** The number of search hits in each run. */
  hits: ReadonlyMap<string, number>;
  onSelect(runId: string): void;
}

export function RunTree({ journal, rootId, runId, hits, onSelect }: RunTreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(runId);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => setFocused(runId), [runId]);
  const sums = rollUps(journal.runs, rootId);
  const order = treeOrder(journal.runs, rootId, (id) => !closed.has(id));
  const levels = treeLevels(journal.runs, order);
  const current = order.includes(focused) ? focused : rootId;
  const height = useNarrow() ? 40 : 32;
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    getItemKey: (index) => order[index] ?? index,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes change with the height
  useEffect(() => virtual.measure(), [height]);
  useSelectedInSight(virtual, order, runId);
  /** The node to focus once it is rendered. */
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const node = list.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(wanted.current)}"]`);
    if (!node) return;
    wanted.current = undefined;
    node.focus();
  });
  const focus = (id: string | undefined) => {
    if (id === undefined) return;
    wanted.current = id;
    setFocused(id);
    virtual.scrollToIndex(order.indexOf(id));
  };
  const toggle = (id: string) => setClosed((before) => before.symmetricDifference(new Set([id])));
  const onKeyDown = (event: KeyboardEvent) => {
    const run = journal.runs.get(current);
    if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = order.indexOf(current);
    const isOpen = run.children.length > 0 && !closed.has(current);
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(order[at + 1]),
      ArrowUp: () => focus(order[at - 1]),
      Home: () => focus(order[0]),
      End: () => focus(order.at(-1)),
      ArrowRight: () => (isOpen ? focus(run.children[0]) : closed.has(current) && toggle(current)),
      ArrowLeft: () => (isOpen ? toggle(current) : focus(run.row.parentRunId)),
      Enter: () => onSelect(current),
      " ": () => onSelect(current),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    <div
      ref={list}
      role="tree"
      aria-label="Runs of this tree"
      className="@container min-h-0 flex-1 overflow-auto py-1"
      onKeyDown={onKeyDown}
      onFocus={({ target }) => setFocused(target.dataset["run"] ?? current)}
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const id = order[index];
          const run = id === undefined ? undefined : journal.runs.get(id);
          if (id === undefined || !run) return null;
          return (
            <TreeNode
              key={key}
              row={run.row}
              top={start}
              height={height}
              level={levels.get(id)!}
              expanded={run.children.length === 0 ? undefined : !closed.has(id)}
              selected={id === runId}
              focusable={id === current}
              hits={hits.get(id) ?? 0}
              sum={sums.get(id)!}
              onSelect={onSelect}
              onToggle={toggle}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Scrolls {
  scrollToIndex(index: number): void;
}

/** Scrolls to the selected run when another run is selected, or when it becomes known. */
function useSelectedInSight({ scrollToIndex }: Scrolls, order: readonly string[], runId: string): void {
  const index = order.indexOf(runId);
  const isKnown = index !== -1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new runs above must not move the list
  useEffect(() => {
    if (isKnown) scrollToIndex(index);
  }, [isKnown, runId]);
}
