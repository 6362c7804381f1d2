// The prompt cache in the terminal: how much was read from it, and which events broke it.

import { type CacheLedger, describeBreak } from "../../projections/usage/cache-ledger.ts";
import { shortCount } from "../../projections/words/format.ts";

/** Empty if no call reported a cache, as with scripted models. */
export function cacheLines({ read, written, uncached, calls }: CacheLedger): string[] {
  if (read + written === 0) return [];
  const share = Math.round((read / (read + written + uncached)) * 100);
  return [
    `Prompt cache: ${share} % of the input was read from it (${shortCount(read)}); ${shortCount(written)} written, ${shortCount(uncached)} uncached.`,
    ...calls.flatMap((call) => describeBreak(call) ?? []),
  ];
}
