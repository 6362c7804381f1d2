// The time axis and its zoom. Dragging over the axis zooms to the dragged range. Ctrl with the mouse wheel zooms at the pointer.

import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { duration } from "../../../../src/projections/words/format.ts";
import { classNames } from "../../ui/class-names.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { shiftWindow, type TimeWindow, ticks, timeScale, zoomWindow } from "./time-window.ts";

/** Width of the name column, in the axis and in every row. */
export const NAME_COLUMN = "w-28 shrink-0 md:w-56";

const DRAG_PX = 5;

export function Axis({ zoom, start, now }: { zoom: Zoom; start: number; now: number | undefined }) {
  const { window, width, measure } = zoom;
  const x = timeScale(window, width);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  useWheel(zoom);
  const placeOf = (event: PointerEvent) =>
    event.clientX - (measure.current?.getBoundingClientRect().left ?? 0);
  const timeAt = (place: number) =>
    window.from + (Math.max(0, Math.min(width, place)) / width) * (window.to - window.from);
  const end = () => {
    setDrag(undefined);
    if (!drag || Math.abs(drag.to - drag.from) < DRAG_PX) return;
    const [from, to] = [timeAt(drag.from), timeAt(drag.to)].sort((a, b) => a - b) as [number, number];
    zoom.to({ from, to });
  };
  return (
    <div className="flex border-line border-y bg-canvas text-2xs text-muted">
      <div className={classNames(NAME_COLUMN, "px-2 py-1")}>Agent</div>
      <div
        className="min-w-0 flex-1 cursor-crosshair touch-none select-none pr-2"
        title="Drag to zoom"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: placeOf(event), to: placeOf(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: placeOf(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
      >
        <div ref={measure}>
          <svg width={width} height="24" aria-hidden className="block">
            {ticks(window, start, width).map((ts) => (
              <g key={ts} transform={`translate(${x(ts)})`}>
                <path d="M0 0V24" className="stroke-line" />
                {x(ts) < width - 30 && (
                  <text x="4" y="15" className="fill-muted">
                    {ts === start
                      ? "0"
                      : duration(ts - start)
                          .replace(/\.0 | 0 s$/, " ")
                          .trim()}
                  </text>
                )}
              </g>
            ))}
            {drag && (
              <rect
                x={Math.min(drag.from, drag.to)}
                width={Math.abs(drag.to - drag.from)}
                height="24"
                className="fill-accent-soft"
              />
            )}
            {now !== undefined && now <= window.to && (
              <path
                d={`M${Math.min(width - 1, x(now))} 0V24`}
                className="stroke-2 stroke-bad"
                data-testid="now"
              />
            )}
          </svg>
        </div>
      </div>
    </div>
  );
}

/** React's own wheel listeners are passive, so they cannot stop the page from scrolling. This listener is added without React. */
function useWheel(zoom: Zoom): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const onWheel = (event: WheelEvent) => {
      const { measure, window, width, by } = latest.current;
      const box = measure.current?.getBoundingClientRect();
      if (!box || !(event.ctrlKey || event.metaKey) || event.clientX < box.left || event.clientX > box.right)
        return;
      if (!(event.target instanceof Element) || !event.target.closest("[data-waterfall]")) return;
      event.preventDefault();
      const share = (event.clientX - box.left) / width;
      by(event.deltaY > 0 ? 1.25 : 0.8, window.from + share * (window.to - window.from));
    };
    document.addEventListener("wheel", onWheel, { passive: false });
    return () => document.removeEventListener("wheel", onWheel);
  }, []);
}

export interface Zoom {
  window: TimeWindow;
  width: number;
  isWhole: boolean;
  /** The element that is as wide as the time axis. */
  measure: RefObject<HTMLDivElement | null>;
  by(factor: number, at?: number): void;
  shift(share: number): void;
  to(window: TimeWindow | undefined): void;
}

/** The visible time window. Until the user zooms, the window is the whole range and grows with the run. */
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
