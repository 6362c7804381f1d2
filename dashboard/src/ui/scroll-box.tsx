import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** Something that scrolls by itself, also by keyboard. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={classNames("overflow-auto", className)}
    >
      {children}
    </section>
  );
}

interface ScrollBoxProps {
  label: string;
  className?: string;
  children: ReactNode;
}
