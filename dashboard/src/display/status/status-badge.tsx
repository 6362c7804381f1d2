import { type RunForStatus, STATUS_LABELS, shownStatus } from "../../../../src/projections/words/statuses.ts";
import { Badge } from "../../ui/badge.tsx";
import { StatusIcon } from "./status-icon.tsx";

/** The status of a run as a word and an icon, so that it does not depend on colour. */
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
