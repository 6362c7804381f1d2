// Which card is looked at, and which one is next.

import { useRef } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";

/** The one in the address; without one the first, which stays the one, also when somebody else has answered it. */
export function useCurrent(wanted: string | undefined, order: readonly ApprovalView[]) {
  const pinned = useRef<string>(undefined);
  /** Answered here: the list may still have them for a moment. */
  const answered = useRef(new Set<string>());
  const isOpen = (id: string | undefined): boolean => id !== undefined && !answered.current.has(id);
  const kept = isOpen(pinned.current) ? pinned.current : undefined;
  pinned.current = wanted ?? kept ?? order.find(({ id }) => isOpen(id))?.id;
  return {
    current: pinned.current,
    forget: (items: readonly ApprovalView[]) => {
      for (const { id } of items) answered.current.add(id);
    },
  };
}

/** Where the card stood in the list, although it may be gone from it. */
export function neighbourItem(
  rows: readonly { item: ApprovalView }[],
  order: readonly ApprovalView[],
  current: string | undefined,
  by: 1 | -1,
): ApprovalView | undefined {
  const others = order.filter(({ id }) => id !== current);
  if (others.length === 0) return undefined;
  const at = rows.findIndex(({ item }) => item.id === current);
  const before = rows.slice(0, Math.max(0, at)).filter(({ item }) => others.includes(item)).length;
  const index = by === 1 ? before : before - 1;
  return others[(index + others.length) % others.length];
}

export function nextBlockingRoot(
  order: readonly ApprovalView[],
  current: string | undefined,
): ApprovalView | undefined {
  const at = order.findIndex(({ id }) => id === current);
  const round = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return round.find(({ blocks }) => blocks.root) ?? round[0];
}
