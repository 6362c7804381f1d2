// A store with some members replaced.

import type { Store } from "./store.ts";

type Overrides = {
  [Group in "runs" | "journal" | "leases" | "inbox" | "blobs" | "usage" | "transfers"]?: Partial<
    Store[Group]
  >;
};

/** All other members are those of the given store, also where it computes them only when they are read. */
export function overrideStore(store: Store, overrides: Overrides): Store {
  const groups = Object.entries(overrides).map(([group, members]) => {
    const value = Object.assign(Object.create(store[group as keyof Overrides]), members) as unknown;
    return [group, { value, enumerable: true }] as const;
  });
  return Object.create(store, Object.fromEntries(groups)) as Store;
}
