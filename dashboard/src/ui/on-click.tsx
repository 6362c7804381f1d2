// Loads a heavy part of the page on the first click of its button.

import { type ReactElement, type ReactNode, Suspense, useState } from "react";

interface OnClickProps {
  /** The button, until the part has replaced it. */
  button: (onClick: () => void) => ReactElement;
  /** The part, with a button of its own. It begins open. */
  children: ReactNode;
}

export function OnClick({ button, children }: OnClickProps) {
  const [isWanted, want] = useState(false);
  const first = button(() => want(true));
  return isWanted ? <Suspense fallback={first}>{children}</Suspense> : first;
}
