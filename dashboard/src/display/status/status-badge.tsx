import {
  ArrowUpRight,
  Ban,
  Check,
  CircleDashed,
  Hand,
  Hourglass,
  LoaderCircle,
  OctagonX,
  Pause,
  Scissors,
  Snowflake,
  TriangleAlert,
} from "lucide-react";
import {
  type RunForStatus,
  type ShownStatus,
  STATUS_LABELS,
  shownStatus,
} from "../../../../src/projections/words/statuses.ts";
import { Badge } from "../../ui/badge.tsx";

/** The status of a run as a word and an icon, so that readers do not depend on colours. */
export function StatusBadge({ run }: { run: RunForStatus }) {
  const status = shownStatus(run);
  const { label, tone } = STATUS_LABELS[status];
  return (
    <Badge tone={tone}>
      <StatusIcon status={status} size={11} />
      {label}
    </Badge>
  );
}

const ICONS: Record<ShownStatus, typeof Check> = {
  queued: CircleDashed,
  running: LoaderCircle,
  waiting: Hourglass,
  needs_person: Hand,
  paused: Pause,
  frozen: Snowflake,
  answered: Hourglass,
  undriven: CircleDashed,
  stopping: LoaderCircle,
  cancel_pending: Ban,
  completed: Check,
  failed: OctagonX,
  timed_out: TriangleAlert,
  cut_off: Scissors,
  cancelled: Ban,
  moved: ArrowUpRight,
};

/** The icon of a status. The icon spins while the run is working. */
export function StatusIcon({ status, size }: { status: ShownStatus; size: number }) {
  const Icon = ICONS[status];
  return <Icon size={size} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />;
}
