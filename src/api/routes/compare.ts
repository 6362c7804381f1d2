// Compares two runs side by side.

import { z } from "zod";
import { type EventOf, type JournalEvent, RunStatus } from "../../journal/events.ts";
import { eventsBefore } from "../../loop/drive/continued-runs.ts";
import { type ComparedTree, compareTrees } from "../../projections/views/compare.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { route } from "./route.ts";

export const CompareQuery = z.strictObject({ a: z.string().min(1), b: z.string().min(1) });

const Step = z.object({
  runId: z.string(),
  seq: z.int(),
  kind: z.enum(["heard", "said", "call", "child", "end"]),
  title: z.string(),
  /** The result of a call, or the full text of a message. */
  detail: z.string(),
  childId: z.string().optional(),
  /** The recorded result of another run that was used instead of a call. */
  recorded: z.object({ runId: z.string(), seq: z.int() }).optional(),
});

const facts = {
  runId: z.string(),
  agent: z.string(),
  status: RunStatus,
  /** Cost in US dollars of the calls with a known price. */
  cost: z.number(),
  unpriced: z.int(),
  tokens: z.number(),
  ms: z.number(),
};

const NodeFacts = z.object({ ...facts, turns: z.int() });

const TreeFacts = z.object({ ...facts, runs: z.int() });

export const Comparison = z.object({
  /** Pairs of runs from the root down, every parent before its children. A side is absent if it has no such run. */
  nodes: z.array(
    z.object({
      agent: z.string(),
      depth: z.int(),
      a: NodeFacts.optional(),
      b: NodeFacts.optional(),
      rows: z.array(z.object({ a: Step.optional(), b: Step.optional(), same: z.boolean() })),
    }),
  ),
  /** The first difference, as indexes into `nodes` and its `rows`. Absent if there is none. */
  first: z.object({ node: z.int(), row: z.int() }).optional(),
  a: TreeFacts,
  b: TreeFacts,
});
export type Comparison = z.infer<typeof Comparison>;

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
