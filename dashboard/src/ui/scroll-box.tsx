import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** Something that scrolls by itself, also by keyboard. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of the page, no set of fields
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={classNames("overflow-auto", className)}
    >
      {children}
    </div>
  );
}

interface ScrollBoxProps {
  label: string;
  className?: string;
  children: ReactNode;
}
