import { duration, elapsed } from "../../../../src/projections/words/format.ts";
import { useNow } from "./use-now.ts";

/** How long something took, or has taken so far. */
export function Elapsed({ from, to }: { from: number; to?: number | undefined }) {
  const now = useNow(to !== undefined);
  const text = to === undefined ? elapsed(Math.max(now, from) - from) : duration(to - from);
  return <span className="tabular-nums">{text}</span>;
}
