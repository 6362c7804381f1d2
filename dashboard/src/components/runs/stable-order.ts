// U05: rows do not move while the user interacts with the list. Only their content changes.
// New rows are counted but not shown, and rows that no longer match stay until the interaction ends.

import { type RefObject, useEffect, useRef, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
export interface StableRows<Row> {
  shown: Row[];
  /** Number of new rows that are not shown yet. */
  fresh: number;
  /** Rows that are still shown although they are no longer in the list. */
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
  // Rows after the last known row are the next page. Unknown rows before the last known row are new.
  const next = now.findLastIndex(({ id }) => known.has(id)) + 1;
  return {
    shown: [...before.map((row) => current.get(row.id) ?? row), ...(next === 0 ? [] : now.slice(next))],
    fresh: now.slice(0, next === 0 ? now.length : next).filter(({ id }) => !known.has(id)).length,
    removed: new Set(before.flatMap(({ id }) => (current.has(id) ? [] : [id]))),
  };
}

interface StableList extends StableRows<ListedRun> {
  /** Shows the new rows and scrolls to the top. */
  showNew(): void;
}

/**
 * Keeps the rows in place while the pointer is over the list, the focus is in the list, or the list is scrolled down.
 * `about` identifies the list. A new value makes the list start over.
 */
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
    // The frame includes the "3 new" button, so that no row moves while the pointer is on its way to the button.
    const frame = element.parentElement ?? element;
    let pointed = false;
    const update = () =>
      setHeld(pointed || element.scrollTop > 0 || element.contains(document.activeElement));
    const enter = (event: PointerEvent) => {
      // Touches are ignored: after a touch the pointer never leaves, and the list would stay frozen.
      pointed = event.pointerType === "mouse";
      update();
    };
    const leave = () => {
      pointed = false;
      update();
    };
    const controller = new AbortController();
    const { signal } = controller;
    frame.addEventListener("pointerenter", enter, { signal });
    frame.addEventListener("pointerleave", leave, { signal });
    element.addEventListener("focusin", update, { signal });
    element.addEventListener("focusout", update, { signal });
    element.addEventListener("scroll", update, { signal, passive: true });
    return () => controller.abort();
  }, [scroller]);
  return isHeld;
}
