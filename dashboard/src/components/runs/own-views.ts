// Lists of runs that the user saved under a name. Only this browser stores them.

import { useLocalStorage } from "../../ui/local-storage.ts";
import { parseRunsSearch, type RunsSearch } from "./filter.ts";

export interface OwnView {
  name: string;
  search: RunsSearch;
}

const STORED = "cadre.runs.views";

export function useOwnViews() {
  const [stored, store] = useLocalStorage(STORED);
  const views = parseViews(stored);
  return {
    views,
    /** A view with the same name is replaced. */
    save: (view: OwnView) => store(JSON.stringify([...views.filter(({ name }) => name !== view.name), view])),
    remove: (name: string) => store(JSON.stringify(views.filter((view) => view.name !== name))),
  };
}

/** Leaves out everything that is not a view, because another version of the page may have stored it. */
export function parseViews(stored: string | undefined): OwnView[] {
  let found: unknown;
  try {
    found = JSON.parse(stored ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(found)) return [];
  return found.flatMap((view: unknown) => {
    if (typeof view !== "object" || view === null) return [];
    const { name, search } = view as Record<string, unknown>;
    if (typeof name !== "string" || name === "" || typeof search !== "object" || search === null) return [];
    return [{ name, search: parseRunsSearch(search as Record<string, unknown>) }];
  });
}
