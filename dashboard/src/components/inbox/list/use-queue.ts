// U20: the queue as shown. While the pointer is over it, nothing moves: new items go to the end, and decided ones stay
// in place, marked, until the pointer leaves.

import { useRef, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { sortQueue } from "./queue.ts";

export interface QueueRow {
  item: ApprovalView;
  /** The item is no longer open. */
  isClosed: boolean;
}

export interface Queue {
  rows: readonly QueueRow[];
  /** Event handlers for the list element. */
  pointerHandlers: { onPointerEnter(): void; onPointerLeave(): void };
}

export function useQueue(items: readonly ApprovalView[]): Queue {
  const [isPointed, setPointed] = useState(false);
  const shown = useRef<readonly QueueRow[]>([]);
  shown.current = isPointed ? keepPositions(shown.current, items) : inOrder(items);
  return {
    rows: shown.current,
    pointerHandlers: { onPointerEnter: () => setPointed(true), onPointerLeave: () => setPointed(false) },
  };
}

export function keepPositions(before: readonly QueueRow[], items: readonly ApprovalView[]): QueueRow[] {
  const open = new Map(items.map((item) => [item.id, item]));
  const known = new Set(before.map(({ item }) => item.id));
  return [
    ...before.map(({ item }) => ({ item: open.get(item.id) ?? item, isClosed: !open.has(item.id) })),
    ...inOrder(items.filter(({ id }) => !known.has(id))),
  ];
}

const inOrder = (items: readonly ApprovalView[]): QueueRow[] =>
  sortQueue(items).map((item) => ({ item, isClosed: false }));
