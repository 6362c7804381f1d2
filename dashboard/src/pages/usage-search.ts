// The URL state of the usage page.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import { RANGES, type Range } from "../components/usage/usage-range.ts";
import { textParam } from "../ui/search-params.ts";

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
  return omitUndefined({
    range,
    by: by === "model" ? ("model" as const) : undefined,
    root: textParam(root),
  });
}
