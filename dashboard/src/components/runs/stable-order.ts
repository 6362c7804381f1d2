// U05: rows do not move under the pointer. While the user interacts with the list, rows keep their position and only
// their content changes. New rows are counted, and rows that no longer match stay until the interaction ends.

import { type RefObject, useEffect, useRef, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
export interface StableRows<Row> {
  shown: Row[];
  /** Number of new rows that are not shown yet. */
  fresh: number;
  /** Shown rows that are no longer in the list. */
  removed: ReadonlySet<string>;
}

export function stableOrder<Row extends { id: string }>(
  before: readonly Row[],
  now: readonly Row[],
  isHeld: boolean,
): StableRows<Row> {
  if (!isHeld || before.length === 0) return { shown: [...now], fresh: 0, removed: new Set() };
  const known = new Set(before.map(({ id }) => id));
  const current = new Map(now.map((row) => [row.id, row]));
  // Rows after the last known one are the next page; unknown rows before it are new.
  const next = now.findLastIndex(({ id }) => known.has(id)) + 1;
  return {
    shown: [...before.map((row) => current.get(row.id) ?? row), ...(next === 0 ? [] : now.slice(next))],
    fresh: now.slice(0, next === 0 ? now.length : next).filter(({ id }) => !known.has(id)).length,
    removed: new Set(before.flatMap(({ id }) => (current.has(id) ? [] : [id]))),
  };
}

// U05: keeps the list still while the pointer is over it, the focus is in it, or it is scrolled down.
interface StableList extends StableRows<ListedRun> {
  /** Shows the new rows and scrolls to the top. */
  showNew(): void;
}

/** `about` identifies the list; a new value starts over. */
export function useStableList(
  runs: readonly ListedRun[],
  about: string,
  scroller: RefObject<HTMLElement | null>,
): StableList {
  const shown = useRef<{ about: string; rows: ListedRun[] }>({ about, rows: [] });
  const isHeld = useIsHeld(scroller);
  const [, redraw] = useState(0);
  const before = shown.current.about === about ? shown.current.rows : [];
  const stable = stableOrder(before, runs, isHeld);
  shown.current = { about, rows: stable.shown };
  return {
    ...stable,
    showNew() {
      shown.current = { about, rows: [] };
      scroller.current?.scrollTo({ top: 0 });
      redraw((times) => times + 1);
    },
  };
}

function useIsHeld(scroller: RefObject<HTMLElement | null>): boolean {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Includes the "3 new" button over the list, so that nothing moves on the way to it.
    const frame = element.parentElement ?? element;
    let pointed = false;
    const look = () => setHeld(pointed || element.scrollTop > 0 || element.contains(document.activeElement));
    const enter = (event: PointerEvent) => {
      // Only a mouse: after a touch the pointer never leaves, which would freeze the list.
      pointed = event.pointerType === "mouse";
      look();
    };
    const leave = () => {
      pointed = false;
      look();
    };
    const controller = new AbortController();
    const { signal } = controller;
    frame.addEventListener("pointerenter", enter, { signal });
    frame.addEventListener("pointerleave", leave, { signal });
    element.addEventListener("focusin", look, { signal });
    element.addEventListener("focusout", look, { signal });
    element.addEventListener("scroll", look, { signal, passive: true });
    return () => controller.abort();
  }, [scroller]);
  return isHeld;
}
