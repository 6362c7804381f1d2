// Two runs, side by side.

import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { eventsBefore } from "../../loop/drive/continued-runs.ts";
import { type ComparedTree, compareTrees } from "../../projections/views/compare.ts";
import type { Store } from "../../stores/store.ts";
import { CompareQuery } from "../client/types.ts";
import { Comparison } from "../comparison.ts";
import type { ApiParts } from "../parts.ts";
import { subtreeOf } from "../subtree.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";

export const compareRoutes = ({ store }: ApiParts) => [
  route(
    {
      method: "get",
      path: "/api/compare",
      summary: "Two runs side by side, aligned by what their agents did",
      query: CompareQuery,
      answer: Comparison,
    },
    async ({ query: { a, b } }) => compareTrees(await treeOf(store, a), await treeOf(store, b)),
  ),
];

async function treeOf(store: Store, id: string): Promise<ComparedTree> {
  const row = await findRun(store, id);
  const runs = new Map<string, readonly JournalEvent[]>();
  for (const { id: runId } of await subtreeOf(store, row)) runs.set(runId, await store.journal.read(runId));
  const { payload } = runs.get(row.id)![0] as EventOf<"RUN_STARTED">;
  return { runId: row.id, before: await eventsBefore(store, payload), runs };
}
