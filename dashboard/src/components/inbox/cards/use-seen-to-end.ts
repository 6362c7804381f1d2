// A17: whether the whole of what is asked about has been in sight. What is short is at once; what is long when it has been
// scrolled to its end. Approving waits for it.

import { type RefCallback, useEffect, useState } from "react";

export interface SeenToEnd {
  /** To be put behind the last line. */
  endRef: RefCallback<HTMLDivElement>;
  isSeen: boolean;
}

/** `what`: another one has not been seen. */
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
