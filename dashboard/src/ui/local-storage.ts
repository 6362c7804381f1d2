// What this browser keeps, and nobody else needs to know: widths of panes, what is pinned.

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

/** A text under a name; all who use the same name see the same. */
export function useLocalStorage(
  name: string,
): [text: string | undefined, keep: (text: string | undefined) => void] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(name) ?? undefined);
  return [text, (next) => keep(name, next)];
}

function keep(name: string, text: string | undefined): void {
  if (text === undefined) localStorage.removeItem(name);
  else localStorage.setItem(name, text);
  for (const listener of listeners) listener();
}

/** Also of what another tab keeps. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}
