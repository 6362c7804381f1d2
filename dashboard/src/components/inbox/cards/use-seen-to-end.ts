// A17: whether the user has seen the whole request. A short one is seen at once, a long one after scrolling to its end.
// Approving waits for this.

import { type RefCallback, useEffect, useState } from "react";

export interface SeenToEnd {
  /** Goes on an element after the last line. */
  endRef: RefCallback<HTMLDivElement>;
  isSeen: boolean;
}

/** `what` identifies the request; a new value counts as not seen yet. */
export function useSeenToEnd(what: string): SeenToEnd {
  const [mark, setMark] = useState<HTMLDivElement | null>(null);
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    if (!mark) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(what);
    });
    observer.observe(mark);
    return () => observer.disconnect();
  }, [what, mark]);
  return { endRef: setMark, isSeen: seen === what };
}
