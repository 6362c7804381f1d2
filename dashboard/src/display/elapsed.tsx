import { useNow } from "./use-now.ts";
import { duration } from "./words.ts";

/** How long something took, or has taken until now. */
export function Elapsed({ from, to }: { from: number; to?: number | undefined }) {
  const now = useNow(to !== undefined);
  return <span className="tabular-nums">{duration((to ?? Math.max(now, from)) - from)}</span>;
}
