import { useCallback, useSyncExternalStore } from "react";

/** True below Tailwind's `md:` breakpoint, which means on a phone. */
export const useNarrow = (): boolean => useMedia("(max-width: 767px)");

/** True if the screen has room for three panes side by side. */
export const useWide = (): boolean => useMedia("(min-width: 1440px)");

export const usePrefersDark = (): boolean => useMedia("(prefers-color-scheme: dark)");

/** Whether a CSS media query matches. The component renders again when the result changes. */
export function useMedia(query: string): boolean {
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
