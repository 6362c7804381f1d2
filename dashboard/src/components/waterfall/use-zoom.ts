import { type RefObject, useEffect, useRef, useState } from "react";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { shiftWindow, type TimeWindow, zoomWindow } from "./time-window.ts";

export interface Zoom {
  window: TimeWindow;
  width: number;
  isWhole: boolean;
  /** The element that spans the time axis. */
  measure: RefObject<HTMLDivElement | null>;
  by(factor: number, at?: number): void;
  shift(share: number): void;
  to(window: TimeWindow | undefined): void;
}

/** The visible time window. Until the user zooms it is the whole range, also while the run grows. */
export function useZoom(whole: TimeWindow): Zoom {
  const [chosen, setChosen] = useState<TimeWindow>();
  const measure = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(300);
  useEffect(() => {
    const box = measure.current;
    if (!box) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(50, box.clientWidth)));
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  const window = chosen ?? whole;
  const to = (next: TimeWindow | undefined) => {
    const isAll = next && next.to - next.from >= whole.to - whole.from;
    setChosen(isAll ? undefined : next);
  };
  const by = (factor: number, at?: number) => to(zoomWindow(window, factor, whole, at));
  const shift = (share: number) =>
    chosen && to(shiftWindow(chosen, share * (chosen.to - chosen.from), whole));
  useHotkeys([
    { keys: "+", label: "Zoom in", run: () => by(0.5) },
    { keys: "-", label: "Zoom out", run: () => by(2) },
    { keys: "0", label: "Show the whole range", run: () => to(undefined) },
  ]);
  return { window, width, isWhole: chosen === undefined, measure, by, shift, to };
}
