import {
  Ban,
  Check,
  CircleDashed,
  Hand,
  Hourglass,
  LoaderCircle,
  OctagonX,
  Pause,
  Snowflake,
} from "lucide-react";
import type { RunRow } from "../../../../src/projections/run-row.ts";
import { standingOf } from "../../display/status.ts";
import { classNames } from "../../ui/class-names.ts";

const MARKS: Record<string, [icon: typeof Check, look: string]> = {
  completed: [Check, "text-good"],
  cancelled: [Ban, "text-muted"],
  failed: [OctagonX, "text-bad"],
  timeout: [Hourglass, "text-bad"],
  "needs you": [Hand, "text-warn"],
  "waiting for child": [Hourglass, "text-warn"],
  paused: [Pause, "text-warn"],
  frozen: [Snowflake, "text-warn"],
  waiting: [Hourglass, "text-info"],
  queued: [CircleDashed, "text-info"],
};

/** Where a run stands, where there is no room for more than a mark: another form for each, and the word for who cannot see it. */
export function StatusMark({ row }: { row: RunRow }) {
  const word = row.waitingOn?.kind === "child_hitl" ? "waiting for child" : standingOf(row).word;
  const [Icon, look] = MARKS[word] ?? [LoaderCircle, "text-info"];
  return (
    <span className={classNames("shrink-0", look)} title={word}>
      <Icon size={14} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />
      <span className="sr-only">{word}</span>
    </span>
  );
}
