import { useEffect, useRef } from "react";

/** A box that shows its end while it grows. Who has scrolled up to read is not taken away from there. */
export function useStayAtEnd(version: number) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is something new
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [version]);
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    atEnd.current = scrollHeight - scrollTop - clientHeight < 60;
  };
  return { box, onScroll };
}
