// A histogram of durations that is small enough to store, and that can be added to others. It answers questions about percentiles.
// Each bucket is a tenth longer than the one before, so a percentile is wrong by at most five percent.

/** Number of durations in each bucket, by the bucket's number. */
export type Durations = Record<string, number>;

const GROWTH = Math.log(1.1);

export function addDuration(durations: Durations, ms: number): void {
  const bucket = Math.round(Math.log(Math.max(1, ms)) / GROWTH);
  durations[bucket] = (durations[bucket] ?? 0) + 1;
}

export function addDurations(total: Durations, more: Durations = {}): void {
  for (const [bucket, count] of Object.entries(more)) total[bucket] = (total[bucket] ?? 0) + count;
}

/** The duration that this share of all durations does not exceed. Null if there is no duration. */
export function percentile(durations: Durations, share: number): number | null {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((a, b) => a.bucket - b.bucket);
  const all = buckets.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { bucket, count } of buckets) {
    seen += count;
    if (seen >= share * all) return Math.round(Math.exp(bucket * GROWTH));
  }
  return null;
}
