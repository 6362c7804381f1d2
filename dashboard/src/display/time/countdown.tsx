import { duration } from "../../../../src/projections/words/format.ts";
import { useNow } from "./use-now.ts";

/** U45: the time left until the next attempt. */
export function Countdown({ until }: { until: number }) {
  const left = until - useNow();
  return (
    <span className="shrink-0 rounded bg-warn-soft px-1.5 text-2xs text-warn tabular-nums">
      {left > 0 ? `next attempt in ${duration(Math.ceil(left / 1_000) * 1_000)}` : "retrying"}
    </span>
  );
}
