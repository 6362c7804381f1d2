// The columns of the table of runs: their order, how they sort, and which of them this browser shows.

import { useLocalStorage } from "../../ui/local-storage.ts";
import type { RunsSearch, Sort } from "./filter.ts";

export interface Column {
  name: ColumnName;
  label: string;
  className: string;
  /** The order that a click on the head asks for, and whether the first click begins with the smallest value. */
  sort?: Sort;
  beginsAscending?: boolean;
}

export type ColumnName =
  | "status"
  | "agent"
  | "task"
  | "user"
  | "waiting"
  | "start"
  | "duration"
  | "cost"
  | "tokens";

/** The task is always shown: it is the link to the run. */
export const COLUMNS: readonly Column[] = [
  { name: "status", label: "Status", className: "w-26", sort: "status", beginsAscending: true },
  { name: "agent", label: "Agent", className: "w-26 xl:w-32", sort: "agent", beginsAscending: true },
  { name: "task", label: "Task", className: "" },
  { name: "user", label: "Person", className: "w-24" },
  { name: "waiting", label: "Waiting for", className: "w-36 xl:w-40" },
  { name: "start", label: "Started", className: "w-24", sort: "started" },
  { name: "duration", label: "Took", className: "w-27 text-right", sort: "duration" },
  { name: "cost", label: "Cost", className: "w-19 text-right", sort: "cost" },
  { name: "tokens", label: "Tokens", className: "w-20 text-right max-xl:hidden", sort: "tokens" },
];

const HIDDEN_AT_FIRST: readonly ColumnName[] = ["user"];
const STORED = "cadre.runs.hidden-columns";

/** The columns to show, and a function that shows or hides one. The browser stores the choice. */
export function useColumns() {
  const [stored, store] = useLocalStorage(STORED);
  const hidden = new Set<string>(stored === undefined ? HIDDEN_AT_FIRST : stored.split(","));
  return {
    shown: COLUMNS.filter(({ name }) => name === "task" || !hidden.has(name)),
    toggle(name: ColumnName, isShown: boolean) {
      if (isShown) hidden.delete(name);
      else hidden.add(name);
      store([...hidden].join(","));
    },
  };
}

export type Direction = "ascending" | "descending";

/** How a list is sorted. Undefined if its order is none of a column: the newest first, or the best match first. */
export function sortOf({ sort, asc, q }: RunsSearch): { sort: Sort; direction: Direction } | undefined {
  const by = sort ?? (q === undefined ? "started" : undefined);
  return by && { sort: by, direction: asc ? "ascending" : "descending" };
}

/** The search after a click on a head: sorted by it, then the other way round, then not sorted. */
export function nextSort(search: RunsSearch, { sort, beginsAscending = false }: Column): RunsSearch {
  const { sort: before, asc = false, ...others } = search;
  const sorted = (isAscending: boolean): RunsSearch => ({
    ...others,
    ...(sort ? { sort } : {}),
    ...(isAscending ? { asc: true } : {}),
  });
  if (before !== sort)
    return sorted((before === undefined && sort === "started" && others.q === undefined) || beginsAscending);
  return asc === beginsAscending ? sorted(!beginsAscending) : others;
}
