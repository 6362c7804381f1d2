import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** A scrolling box. Keyboard users can scroll it too. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of content, not of form fields
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
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
