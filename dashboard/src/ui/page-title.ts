// The title of the browser tab, which names the content of the page. The shell adds the number of open requests.

import { useEffect, useSyncExternalStore } from "react";

let shown: string | undefined;
const listeners = new Set<() => void>();

function change(title: string | undefined): void {
  shown = title;
  for (const listener of listeners) listener();
}

/** Names the tab while the component is mounted. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    change(title);
    return () => change(undefined);
  }, [title]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The title that the current page has set. */
export const useShownTitle = (): string | undefined => useSyncExternalStore(subscribe, () => shown);
