import { Badge } from "../ui/badge.tsx";
import { type StandingOf, standingOf } from "./status.ts";
import { StatusIcon } from "./status-icon.tsx";

/** The word and a mark: never the colour alone. */
export function StatusBadge({ run }: { run: StandingOf }) {
  const { word, tone } = standingOf(run);
  return (
    <Badge tone={tone}>
      <StatusIcon word={word} size={11} />
      {word}
    </Badge>
  );
}
