// U03: the lists that people ask for again and again.

import type { RunsSearch } from "./runs-search.ts";

export interface SavedView {
  name: string;
  search: RunsSearch;
  /** How many there are is worth knowing. */
  counted: boolean;
}

export const SAVED_VIEWS: readonly SavedView[] = [
  { name: "All", search: {}, counted: false },
  { name: "Needs me", search: { waiting: "person" }, counted: true },
  { name: "Running", search: { status: ["pending", "running", "waiting"] }, counted: true },
  { name: "Failed today", search: { status: ["failed"], since: "today" }, counted: true },
  { name: "Unknown outcome", search: { waiting: "outcome_unknown" }, counted: true },
  { name: "Most expensive", search: { sort: "cost" }, counted: false },
];
