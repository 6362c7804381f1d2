// Values that only this browser stores: pane widths, the pinned run, the theme, notification settings.

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

/** The value stored under a name. When it changes, all components that use the name render again, even in other tabs. */
export function useLocalStorage(
  name: string,
): [text: string | undefined, write: (text: string | undefined) => void] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(name) ?? undefined);
  return [text, (next) => writeLocalStorage(name, next)];
}

export function writeLocalStorage(name: string, text: string | undefined): void {
  if (text === undefined) localStorage.removeItem(name);
  else localStorage.setItem(name, text);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}
