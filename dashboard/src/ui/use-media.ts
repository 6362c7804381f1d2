import { useCallback, useSyncExternalStore } from "react";

/** A phone's width: where `md:` does not count. */
export const useNarrow = (): boolean => useMedia("(max-width: 767px)");

/** Room for three panes side by side. */
export const useWide = (): boolean => useMedia("(min-width: 1440px)");

function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
