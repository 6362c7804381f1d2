// The URL state of the usage page.

import { RANGES, type Range } from "../components/usage/usage-range.ts";

export interface UsageSearch {
  range?: Range;
  /** How plots are grouped; absent for by agent. */
  by?: "model";
  /** Shows only this run and the runs below it. */
  root?: string;
}

export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
  const range = RANGES.find((each) => each === search["range"]);
  const { by, root } = search;
  return {
    ...(range === undefined ? {} : { range }),
    ...(by === "model" ? { by } : {}),
    ...(typeof root === "string" && root.trim() !== "" ? { root: root.trim() } : {}),
  };
}
