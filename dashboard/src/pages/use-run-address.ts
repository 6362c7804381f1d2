// U16: reads and writes the URL state of a run's page. A reload, the back button and a shared link restore the same state.

import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import {
  type EventRef,
  eventHash,
  formatEventRef,
  isSameEvent,
  parseEventRef,
} from "../components/event-detail/event-ref.ts";
import { parseRunSearch, type RunSearch } from "./run-search.ts";

export interface RunAddress {
  search: RunSearch;
  selected: EventRef | undefined;
  pins: readonly EventRef[];
  open: ReadonlySet<string>;
  /** Selects another run. If `seq` is given, also selects an event of that run. */
  go(runId: string, seq?: number): void;
  /** Selects an event of the run or of an expanded child. Undefined selects nothing. */
  look(ref: EventRef | undefined): void;
  /** Opens a run of another tree and removes the URL state of the current tree. */
  leaveFor(runId: string): void;
  change(next: Change): void;
  toggleOpen(childId: string): void;
  togglePin(ref: EventRef): void;
}

/** A parameter whose value is undefined is removed from the URL. */
type Change = { [K in keyof RunSearch]?: RunSearch[K] | undefined };

export function useRunAddress(runId: string): RunAddress {
  const search = useSearch({ from: "/r/$runId" });
  const { hash } = useLocation();
  const navigate = useNavigate({ from: "/r/$runId" });
  const open = useMemo(() => new Set(search.open), [search.open]);
  const pins = useMemo(
    () => (search.pin ?? []).map((text) => parseEventRef(text)).filter((ref) => ref !== undefined),
    [search.pin],
  );
  const selected = useMemo(() => parseEventRef(hash, runId), [hash, runId]);
  return useMemo(() => {
    const change = (next: Change) =>
      void navigate({
        search: (before) => parseRunSearch({ ...before, ...next }),
        hash: true,
        replace: true,
      });
    const toggleItem = (list: readonly string[] = [], item: string) =>
      list.includes(item) ? list.filter((each) => each !== item) : [...list, item];
    return {
      search,
      selected,
      pins,
      open,
      change,
      go: (id, seq) =>
        void navigate({
          params: { runId: id },
          search: (before) => before,
          hash: seq === undefined ? "" : String(seq),
          replace: id === runId,
        }),
      leaveFor: (id) => void navigate({ params: { runId: id }, search: {}, hash: "" }),
      look: (ref) =>
        void navigate({
          search: (before) => parseRunSearch({ ...before, details: undefined }),
          hash: isSameEvent(ref, selected) ? "" : eventHash(ref, runId),
          replace: true,
        }),
      toggleOpen: (childId) => change({ open: toggleItem(search.open, childId) }),
      togglePin: (ref) => change({ pin: toggleItem(search.pin, formatEventRef(ref)) }),
    };
  }, [navigate, runId, search, selected, pins, open]);
}

/**
 * Whether another pane already shows the answer.
 * The result does not depend on the selected event. Otherwise the answer's card would appear and disappear with every selection.
 */
export function showsAnswer({ search: { view, details, tab } }: RunAddress): boolean {
  return view === "conversation" || (details === "open" && tab === undefined);
}
