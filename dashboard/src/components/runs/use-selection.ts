import { useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";

/** The selected runs, as they were when they were selected. */
export interface Selection {
  readonly runs: readonly ListedRun[];
  has(id: string): boolean;
  /** `range` also selects all rows between this one and the previous one. */
  toggle(shown: readonly ListedRun[], index: number, range: boolean): void;
  add(runs: readonly ListedRun[]): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, ListedRun>>(new Map());
  const [last, setLast] = useState<string>();
  const add = (runs: readonly ListedRun[]) =>
    setChosen((before) => new Map([...before, ...runs.map((run): [string, ListedRun] => [run.id, run])]));
  return {
    runs: [...chosen.values()],
    has: (id) => chosen.has(id),
    toggle(shown, index, range) {
      const run = shown[index]!;
      const from = range ? shown.findIndex(({ id }) => id === last) : -1;
      setLast(run.id);
      if (from >= 0) return add(shown.slice(Math.min(from, index), Math.max(from, index) + 1));
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(run.id)) next.set(run.id, run);
        return next;
      });
    },
    add,
    clear: () => setChosen(new Map()),
  };
}
