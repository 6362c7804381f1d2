import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useLocalStorage } from "./local-storage.ts";

export interface PaneSize {
  initial: number;
  min: number;
  max: number;
}

/** The width of a pane, from `min` to `max`. The browser stores the width. */
export function usePaneWidth(
  name: string,
  { initial, min, max }: PaneSize,
): [number, (width: number) => void] {
  const [kept, keep] = useLocalStorage(name);
  const width = Math.min(max, Math.max(min, Number(kept ?? initial) || initial));
  return [width, (next) => keep(String(next))];
}

export interface SplitterProps {
  label: string;
  width: number;
  min: number;
  max: number;
  /** Whether the resized pane is to the left or to the right of the splitter. */
  pane: "left" | "right";
  onChange(width: number): void;
}

const STEP = 24;

/** A movable border of a pane. The pointer and the arrow keys move it. */
export function Splitter({ label, width, min, max, pane, onChange }: SplitterProps) {
  const [grip, setGrip] = useState<{ x: number; width: number }>();
  const way = pane === "left" ? 1 : -1;
  const set = (next: number) => onChange(Math.round(Math.min(max, Math.max(min, next))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    set(width + way * (event.key === "ArrowRight" ? STEP : -STEP));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setGrip({ x: event.clientX, width });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be moved
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => grip && set(grip.width + way * (event.clientX - grip.x))}
      onPointerUp={() => setGrip(undefined)}
      onPointerCancel={() => setGrip(undefined)}
      className="w-1 shrink-0 cursor-col-resize touch-none border-line border-r hover:bg-accent focus-visible:bg-accent"
    />
  );
}
