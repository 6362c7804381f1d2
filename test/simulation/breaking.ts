// Helpers that install a mutant. They replace a spied function, or change the appends that reach the store.

import { type Mock, vi } from "vitest";
import { overrideStore } from "../../src/stores/override-store.ts";
import type { Spawn, Store } from "../../src/stores/store.ts";

/** Replaces a spied function. Returns a function that undoes the replacement. */
export function replace<Given extends unknown[], Answer>(
  spied: (...given: Given) => Answer,
  broken: (...given: Given) => Answer,
): () => void {
  const mock = vi.mocked(spied) as unknown as Mock<(...given: Given) => Answer>;
  mock.mockImplementation(broken);
  return () => {
    mock.mockReset();
  };
}

/** Applies `change` to the spawn of every child run. */
export function withSpawn(store: Store, change: (spawn: Spawn) => Spawn): Store {
  return withAppend(store, (append) =>
    store.journal.append(append.spawn ? { ...append, spawn: change(append.spawn) } : append),
  );
}

export const withAppend = (store: Store, append: Store["journal"]["append"]): Store =>
  overrideStore(store, { journal: { append } });
