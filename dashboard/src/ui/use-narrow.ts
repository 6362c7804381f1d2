import { useSyncExternalStore } from "react";

const narrow = "(max-width: 767px)";

/** A phone's width: where `md:` does not count. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
