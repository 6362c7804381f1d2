import type { ReactNode } from "react";
import { classNames } from "../../ui/class-names.ts";

const LOOKS = {
  muted: "bg-raised text-muted",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
} as const;

/** A coloured bar across the page. */
export function NoticeBar({ tone, children }: { tone: keyof typeof LOOKS; children: ReactNode }) {
  return (
    <div
      className={classNames(
        "flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-1.5 text-sm",
        LOOKS[tone],
      )}
    >
      {children}
    </div>
  );
}
