import type { MouseEvent } from "react";

/** Handles a plain click on a link inside the page. The browser handles clicks with a modifier key. */
export function handleLinkClick(event: MouseEvent, act: () => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  act();
}
