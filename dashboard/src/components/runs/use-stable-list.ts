// U05: keeps the list still while the pointer is over it, the focus is in it, or it is scrolled down.

import { type RefObject, useEffect, useRef, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { type StableRows, stableOrder } from "./stable-order.ts";

export interface StableList extends StableRows<ListedRun> {
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
    frame.addEventListener("pointerenter", enter);
    frame.addEventListener("pointerleave", leave);
    element.addEventListener("focusin", look);
    element.addEventListener("focusout", look);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      frame.removeEventListener("pointerenter", enter);
      frame.removeEventListener("pointerleave", leave);
      element.removeEventListener("focusin", look);
      element.removeEventListener("focusout", look);
      element.removeEventListener("scroll", look);
    };
  }, [scroller]);
  return isHeld;
}
