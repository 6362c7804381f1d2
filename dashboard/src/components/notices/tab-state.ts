// U33: the tab's title and icon show that something is waiting. They need no permission from the browser.

import { useEffect } from "react";

export interface TabState {
  waiting: number;
  isLost: boolean;
  /** The name of the current page. */
  page: string;
}

export function useTabState({ waiting, isLost, page }: TabState): void {
  useEffect(() => {
    document.title = tabTitle({ waiting, isLost, page });
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = iconOf({ waiting, isLost });
  }, [waiting, isLost, page]);
}

export function tabTitle({ waiting, isLost, page }: TabState): string {
  if (isLost) return "Reconnecting · Cadre";
  return `${waiting > 0 ? `(${waiting}) ` : ""}${page} · Cadre`;
}

/** The tab icon. The page draws the icon itself, so that the icon works while the server is down. */
function iconOf({ waiting, isLost }: Omit<TabState, "page">): string {
  if (!isLost && waiting === 0) return "/favicon.svg";
  const colour = isLost ? "#6b7280" : "#4f46e5";
  const dot = isLost ? "" : '<circle cx="25" cy="7" r="7" fill="#f59e0b" stroke="#fff" stroke-width="1.5"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><g fill="#fff"><circle cx="16" cy="8.500" r="3.500"/><circle cx="8.500" cy="23" r="3.500"/><circle cx="23.500" cy="23" r="3.500"/></g><path d="M16 12v4M16 16H8.500v3.500M16 16h7.500v3.500" fill="none" stroke="#fff" stroke-width="2"/>${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
