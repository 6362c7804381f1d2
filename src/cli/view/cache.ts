// Shows how much of the input was read from the prompt cache, and which events broke the cache.

import { type CacheLedger, describeBreak } from "../../projections/usage/cache-ledger.ts";
import { shortCount } from "../../projections/words/format.ts";

/** Returns no lines if no call used a cache, as with scripted models. */
export function cacheLines({ read, written, uncached, calls }: CacheLedger): string[] {
  if (read + written === 0) return [];
  const share = Math.round((read / (read + written + uncached)) * 100);
  return [
    `Prompt cache: ${share} % of the input was read from it (${shortCount(read)}); ${shortCount(written)} written, ${shortCount(uncached)} uncached.`,
    ...calls.flatMap((call) => describeBreak(call) ?? []),
  ];
}
