// How a breakage is put in: into a spied function, or into what is handed to the store.

import { type Mock, vi } from "vitest";
import { overrideStore } from "../../src/stores/override-store.ts";
import type { Spawn, Store } from "../../src/stores/store.ts";

/** In the place of a spied function, until it is mended. */
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

/** Every child is started as `change` makes it. */
export function withSpawn(store: Store, change: (spawn: Spawn) => Spawn): Store {
  return withAppend(store, (append) =>
    store.journal.append(append.spawn ? { ...append, spawn: change(append.spawn) } : append),
  );
}

export const withAppend = (store: Store, append: Store["journal"]["append"]): Store =>
  overrideStore(store, { journal: { append } });
