// A17: tells whether the user has seen the whole request.
// A short request is seen immediately. A long request is seen once the user has scrolled to its end.
// The user can approve a request only after seeing all of it.

import { type RefCallback, useEffect, useState } from "react";

export interface SeenToEnd {
  /** React ref for an element that follows the last line of the request. */
  endRef: RefCallback<HTMLDivElement>;
  isSeen: boolean;
}

/** `what` identifies the request. When `what` changes, the new request has not been seen yet. */
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
