import { useNow } from "./use-now.ts";
import { duration } from "./words.ts";

/** How long something took, or has taken until now. */
export function Elapsed({ from, to }: { from: number; to?: number | undefined }) {
  const now = useNow(to !== undefined);
  const text = to === undefined ? going(Math.max(now, from) - from) : duration(to - from);
  return <span className="tabular-nums">{text}</span>;
}

/** Of what is not over yet, whole seconds. */
function going(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}
