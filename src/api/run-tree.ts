import type { RunRow } from "../projections/run-row.ts";
import type { Store } from "../stores/store.ts";
import type { RunTree } from "./schema.ts";
import { subtreeOf } from "./subtree.ts";
import { nestRuns } from "./tree.ts";
import { markUnreadable } from "./unreadable.ts";

/** A run and all below it, as they stand. */
export const readRunTree = async (store: Store, top: RunRow): Promise<RunTree> =>
  nestRuns(await markUnreadable(store, await subtreeOf(store, top)));
