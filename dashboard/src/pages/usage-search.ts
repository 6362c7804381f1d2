// Which stretch of time, of which tree and by what the usage is told, as it stands in the address.

import { RANGES, type Range } from "../components/usage/usage-range.ts";

export interface UsageSearch {
  range?: Range;
  /** What plots are split by. */
  by?: "model";
  /** A run: it and everything below it. */
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
