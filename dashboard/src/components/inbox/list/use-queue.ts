// The list as it is drawn. While the pointer is over it nothing moves: what is new comes last, and what was decided stays
// where it was, marked, until the pointer has left (U20).

import { useRef, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { sortQueue } from "./queue.ts";

export interface QueueRow {
  item: ApprovalView;
  /** It is not open any more. */
  isClosed: boolean;
}

export interface Queue {
  rows: readonly QueueRow[];
  /** To be spread over the list. */
  pointerHandlers: { onPointerEnter(): void; onPointerLeave(): void };
}

export function useQueue(items: readonly ApprovalView[]): Queue {
  const [held, setHeld] = useState(false);
  const shown = useRef<readonly QueueRow[]>([]);
  shown.current = held ? keepPositions(shown.current, items) : inOrder(items);
  return {
    rows: shown.current,
    pointerHandlers: { onPointerEnter: () => setHeld(true), onPointerLeave: () => setHeld(false) },
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
