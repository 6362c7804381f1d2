import { Hourglass, Timer } from "lucide-react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { plural, roughDuration } from "../../../../../src/projections/words/format.ts";
import { useNow } from "../../../display/time/use-now.ts";
import { Badge } from "../../../ui/badge.tsx";

/** A badge such as "3 agents waiting for 12 min, including the root". */
export function WaitingBadge({ item: { blocks, requestedAt, trail } }: { item: ApprovalView }) {
  const holdsRoot = blocks.root && trail.length > 1;
  const now = useNow();
  const since = roughDuration(now - requestedAt);
  const runs = Math.max(1, blocks.runs);
  return (
    <Badge
      tone={holdsRoot ? "warn" : "muted"}
      title="These runs continue only after this request is answered"
    >
      <Hourglass size={11} aria-hidden />
      <span className="truncate">
        {plural(runs, "agent")} waiting for {since}
        {holdsRoot && ", including the root"}
      </span>
    </Badge>
  );
}

const SOON_MS = 5 * 60_000;

export function ExpiryBadge({ at }: { at: number | undefined }) {
  const now = useNow(at === undefined);
  if (at === undefined) return null;
  const left = Math.max(0, at - now);
  return (
    <Badge
      tone={left < SOON_MS ? "bad" : "muted"}
      title="After this time the request is rejected automatically"
    >
      <Timer size={11} aria-hidden />
      {left === 0 ? "expires now" : `${shortly(left)} left`}
    </Badge>
  );
}

const shortly = (ms: number): string =>
  ms >= 60_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 1_000)} s`;
