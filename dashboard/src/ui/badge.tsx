import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export const TONES = {
  plain: "bg-raised text-ink",
  muted: "bg-raised text-muted",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  child: "bg-child-soft text-child",
  accent: "bg-accent-soft text-accent",
} as const;
export type Tone = keyof typeof TONES;

/** Text colours for text without a coloured background. */
export const TEXT_TONES = {
  plain: "text-ink",
  quiet: "text-muted",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
} as const;

interface BadgeProps {
  tone?: Tone;
  title?: string;
  children: ReactNode;
}

export function Badge({ tone = "plain", title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex max-w-full shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 py-0.5 font-medium text-2xs",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
