import type { RunRow } from "../projections/folds/run-row.ts";
import type { Store } from "../stores/store.ts";
import { subtreeOf } from "./subtree.ts";
import type { RunTree } from "./views/run-tree.ts";
import { nestRuns } from "./views/run-tree.ts";
import { markUnreadable } from "./views/unreadable-runs.ts";

/** A run and all below it, as they stand. */
export const readRunTree = async (store: Store, top: RunRow): Promise<RunTree> =>
  nestRuns(await markUnreadable(store, await subtreeOf(store, top)));
