import type { ComponentProps } from "react";
import { TONES, type Tone } from "./badge.tsx";
import { classNames } from "./class-names.ts";

/** A coloured bar across the page. */
export function NoticeBar({ tone, className, ...rest }: ComponentProps<"div"> & { tone: Tone }) {
  return (
    <div
      className={classNames(
        "flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-1.5 text-sm",
        TONES[tone],
        className,
      )}
      {...rest}
    />
  );
}
