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
import type { StatusWord } from "./status.ts";

const ICONS: Record<StatusWord, typeof Check> = {
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
  stopping: LoaderCircle,
  running: LoaderCircle,
};

/** The icon of a status; it spins while something is under way. */
export function StatusIcon({ word, size }: { word: StatusWord; size: number }) {
  const Icon = ICONS[word];
  return <Icon size={size} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />;
}
