// Helpers that install mutants. A helper replaces a spied function, or changes the appends that reach the store.

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

/** Returns a store in which `change` modifies the start of every child run. */
export function withSpawn(store: Store, change: (spawn: Spawn) => Spawn): Store {
  return withAppend(store, (append) =>
    store.journal.append(append.spawn ? { ...append, spawn: change(append.spawn) } : append),
  );
}

export const withAppend = (store: Store, append: Store["journal"]["append"]): Store =>
  overrideStore(store, { journal: { append } });
