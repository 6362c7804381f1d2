// Makes a store with some members replaced, for tests and for restricted views.

import type { Store } from "./store.ts";

type Overrides = {
  [Group in "runs" | "journal" | "leases" | "inbox" | "blobs" | "usage" | "transfers"]?: Partial<
    Store[Group]
  >;
};

/** Inherits all other members from the given store, including getters. */
export function overrideStore(store: Store, overrides: Overrides): Store {
  const groups = Object.entries(overrides).map(([group, members]) => {
    const value = Object.assign(Object.create(store[group as keyof Overrides]), members) as unknown;
    return [group, { value, enumerable: true }] as const;
  });
  return Object.create(store, Object.fromEntries(groups)) as Store;
}
