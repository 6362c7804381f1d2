// Turns a time range into a query with a start time and the length of a time bucket.

import type { UsageFilter } from "../../../../src/api/client/types.ts";

export const RANGE_WORDS: Readonly<Record<Range, string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  all: "All time",
};

const HOUR = 3_600_000;

/** A range starts at a full hour or at local midnight, so its query stays the same for an hour. */
export function rangeFilter(range: Range, now: number): Required<Pick<UsageFilter, "since" | "every">> {
  if (range === "24h") return { since: (Math.floor(now / HOUR) - 23) * HOUR, every: HOUR };
  if (range === "7d") return { since: midnight(now, 6), every: 6 * HOUR };
  if (range === "30d") return { since: midnight(now, 29), every: 24 * HOUR };
  return { since: new Date(1970, 0, 2).getTime(), every: 24 * HOUR };
}

function midnight(now: number, daysAgo: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime();
}

export const RANGES = ["24h", "7d", "30d", "all"] as const;

export type Range = (typeof RANGES)[number];
