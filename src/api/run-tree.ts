import type { RunRow } from "../projections/run-row.ts";
import type { Store } from "../stores/store.ts";
import type { RunTree } from "./schema.ts";
import { subtreeOf } from "./subtree.ts";
import { nest } from "./tree.ts";
import { withUnreadable } from "./unreadable.ts";

/** A run and all below it, as they stand. */
export const treeBelow = async (store: Store, top: RunRow): Promise<RunTree> =>
  nest(await withUnreadable(store, await subtreeOf(store, top)));
