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
import { Badge } from "../ui/badge.tsx";
import { type StandingOf, standingOf } from "./status.ts";

const ICONS: Record<string, typeof Check> = {
  completed: Check,
  cancelled: Ban,
  failed: OctagonX,
  timeout: Hourglass,
  "needs you": Hand,
  paused: Pause,
  frozen: Snowflake,
  waiting: Hourglass,
  queued: CircleDashed,
};

/** The word and a mark: never the colour alone. */
export function StatusBadge({ run }: { run: StandingOf }) {
  const { word, tone } = standingOf(run);
  const Icon = ICONS[word] ?? LoaderCircle;
  return (
    <Badge tone={tone}>
      <Icon size={11} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />
      {word}
    </Badge>
  );
}
