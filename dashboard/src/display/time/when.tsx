import { ago, fullTime } from "../../../../src/projections/words/format.ts";
import { useNow } from "./use-now.ts";

export function When({ ts }: { ts: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(ts).toISOString()} title={fullTime(ts)} className="whitespace-nowrap">
      {ago(ts, now)}
    </time>
  );
}
