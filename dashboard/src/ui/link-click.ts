import type { MouseEvent } from "react";

/** Does what a link would do, here in the page. A click with a modifier is the browser's. */
export function handleLinkClick(event: MouseEvent, act: () => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  act();
}
