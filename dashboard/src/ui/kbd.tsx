import type { ReactNode } from "react";

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="rounded border border-line bg-raised px-1 font-mono text-2xs text-muted">{children}</kbd>
  );
}

/** Shows the keyboard shortcut of a button. Phones have no keyboard, so the shortcut is hidden there. */
export const KeyHint = ({ children }: { children: ReactNode }) => (
  // The key is not part of the button's name.
  <span aria-hidden className="max-md:hidden">
    <Kbd>{children}</Kbd>
  </span>
);
