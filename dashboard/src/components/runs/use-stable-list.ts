// U05: the list is held while somebody points at it, has the focus in it or has scrolled down in it.

import { type RefObject, useEffect, useRef, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { type StableRows, stableOrder } from "./stable-order.ts";

export interface StableList extends StableRows<ListedRun> {
  /** Shows what is new, from the top. */
  showNew(): void;
}

/** `about`: which list it is; another one begins anew. */
export function useStableList(
  runs: readonly ListedRun[],
  about: string,
  scroller: RefObject<HTMLElement | null>,
): StableList {
  const shown = useRef<{ about: string; rows: ListedRun[] }>({ about, rows: [] });
  const isHeld = useIsHeld(scroller);
  const [, redraw] = useState(0);
  const before = shown.current.about === about ? shown.current.rows : [];
  const held = stableOrder(before, runs, isHeld);
  shown.current = { about, rows: held.shown };
  return {
    ...held,
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
    // With what lies over the list: on the way to "3 new" nothing may move either.
    const frame = element.parentElement ?? element;
    let pointed = false;
    const look = () => setHeld(pointed || element.scrollTop > 0 || element.contains(document.activeElement));
    const enter = (event: PointerEvent) => {
      // A finger leaves no pointer behind: it would hold the list for ever.
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
