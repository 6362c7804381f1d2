import { useEffect, useRef, useState } from "react";

/** Maximum distance from the end at which the list still scrolls to new content. */
const NEAR_PX = 48;

/** Keeps a growing list scrolled to its end, unless the user has scrolled away. */
export function useFollowEnd(from: boolean) {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const stays = useRef(from);
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    const [box, content] = [outer.current, inner.current];
    if (!box || !content) return;
    const look = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      stays.current = near && (stays.current || box.scrollTop > 0);
      setAtEnd(near);
    };
    const grow = new ResizeObserver(() => {
      if (stays.current) box.scrollTop = box.scrollHeight;
      look();
    });
    grow.observe(content);
    grow.observe(box);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      grow.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, []);
  const toEnd = () => {
    stays.current = true;
    outer.current?.scrollTo({ top: outer.current.scrollHeight, behavior: "smooth" });
  };
  return { outer, inner, atEnd, toEnd };
}
