// Compares two runs side by side.

import { z } from "zod";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { eventsBefore } from "../../loop/drive/run-journal.ts";
import { type ComparedTree, compareTrees } from "../../projections/views/compare.ts";
import { Comparison } from "../../projections/views/compare-schema.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { route } from "./route.ts";

export const CompareQuery = z.strictObject({ a: z.string().min(1), b: z.string().min(1) });

export const compareRoutes = ({ store }: ApiParts) => [
  route.get(
    "/api/compare",
    {
      summary: "Compare two runs, aligned by what their agents did",
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
