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
  Snowflake,
} from "lucide-react";

const ICONS: Record<string, typeof Check> = {
  completed: Check,
  cancelled: Ban,
  moved: ArrowUpRight,
  failed: OctagonX,
  timeout: Hourglass,
  "needs you": Hand,
  answered: Hourglass,
  "waiting for child": Hourglass,
  paused: Pause,
  frozen: Snowflake,
  waiting: Hourglass,
  queued: CircleDashed,
};

/** The form of a word that says where a run stands; what is under way turns. */
export function StatusIcon({ word, size }: { word: string; size: number }) {
  const Icon = ICONS[word] ?? LoaderCircle;
  return <Icon size={size} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />;
}
