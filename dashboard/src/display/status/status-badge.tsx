import { Badge } from "../../ui/badge.tsx";
import { type RunForStatus, statusLabel } from "./status.ts";
import { StatusIcon } from "./status-icon.tsx";

/** The status of a run as a word and an icon, so that it does not depend on colour. */
export function StatusBadge({ run }: { run: RunForStatus }) {
  const { word, tone } = statusLabel(run);
  return (
    <Badge tone={tone}>
      <StatusIcon word={word} size={11} />
      {word}
    </Badge>
  );
}
