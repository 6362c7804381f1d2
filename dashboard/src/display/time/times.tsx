import { ago, duration, elapsed, fullTime } from "../../../../src/projections/words/format.ts";
import { useNow } from "./use-now.ts";

export function When({ ts }: { ts: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(ts).toISOString()} title={fullTime(ts)} className="whitespace-nowrap">
      {ago(ts, now)}
    </time>
  );
}

/** The time from `from` to `to`. If `to` is undefined, the time since `from`, which keeps counting. */
export function Elapsed({ from, to }: { from: number; to?: number | undefined }) {
  const now = useNow(to !== undefined);
  const text = to === undefined ? elapsed(Math.max(now, from) - from) : duration(to - from);
  return <span className="tabular-nums">{text}</span>;
}

/** U45: the time left until the next attempt. */
export function Countdown({ until }: { until: number }) {
  const left = until - useNow();
  return (
    <span className="shrink-0 rounded bg-warn-soft px-1.5 text-2xs text-warn tabular-nums">
      {left > 0 ? `next attempt in ${duration(Math.ceil(left / 1_000) * 1_000)}` : "retrying"}
    </span>
  );
}
