import { Hand, Hourglass, LoaderCircle, OctagonX } from "lucide-react";
import { Badge } from "../../ui/badge.tsx";
import type { RollUp } from "./roll-up.ts";

const KINDS = [
  { key: "needsYou", icon: Hand, tone: "warn", word: "need you" },
  { key: "failed", icon: OctagonX, tone: "bad", word: "failed" },
  { key: "running", icon: LoaderCircle, tone: "info", word: "running" },
  { key: "waiting", icon: Hourglass, tone: "muted", word: "waiting" },
] as const;

/** Badges that summarise the runs below a collapsed node. */
export function SumBadges({ sum }: { sum: RollUp }) {
  return KINDS.filter(({ key }) => sum[key] > 0).map(({ key, icon: Icon, tone, word }) => (
    <Badge key={key} tone={tone} title={`${sum[key]} below: ${word}`}>
      <Icon size={10} aria-hidden />
      {sum[key]}
      <span className="sr-only"> {word}</span>
    </Badge>
  ));
}
