import type { SeriesColour } from "./plot-data.ts";

/** As classes for the legend; the canvas takes the tokens of the same names. */
export const SWATCHES: Readonly<Record<SeriesColour, string>> = {
  accent: "bg-accent",
  good: "bg-good",
  warn: "bg-warn",
  info: "bg-info",
  child: "bg-child",
  bad: "bg-bad",
  edge: "bg-edge",
};
