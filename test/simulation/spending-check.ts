// Checks at the end of a simulation that no reservation is left in the store (B2) and that no run is still working (B4).
// To find a reservation, the check requests one more call that needs all of the remaining budget.
// The store admits this call only if no reservation is left.

import type { Payload } from "../../src/journal/events.ts";
import type { RunRow } from "../../src/projections/folds/run-row.ts";
import { totalTokens } from "../../src/projections/usage/run-usage.ts";
import type { Store } from "../../src/stores/store.ts";

export async function spendingProblems(store: Store, rows: readonly RunRow[]): Promise<string[]> {
  const problems: string[] = [];
  for (const root of rows.filter(({ parentRunId }) => parentRunId === undefined)) {
    const spent = rows
      .filter(({ rootRunId }) => rootRunId === root.id)
      .reduce((sum, { usage }) => sum + totalTokens(usage), 0);
    const refused = await oneMoreCall(store, root.id, spent + 1);
    if (refused === "slots") problems.push("B4 a place is still taken, and everything has ended");
    else if (refused === "reserved")
      problems.push(`B2 something is still reserved in the tree of ${root.id}`);
    else if (refused)
      problems.push(`I9 the tree of ${root.id} has spent more than its runs (${spent}): ${refused}`);
  }
  return problems;
}

async function oneMoreCall(store: Store, root: string, maxTokens: number): Promise<string | undefined> {
  const [first] = await store.journal.read(root, 0, 1);
  const runId = `${root}-one-more`;
  await store.runs.start(runId, { ...(first!.payload as Payload<"RUN_STARTED">), rootRunId: root });
  const { worker, epoch } = (await store.leases.acquire(runId, "asks"))!;
  const estimate = { tokens: 1, cost: null };
  const { refused } = await store.journal.append({
    runId,
    writer: { worker, epoch },
    after: 1,
    events: [{ type: "MODEL_CALL_STARTED", payload: { callId: "m1", model: "sim/a", estimate } }],
    reserve: { estimate, run: {}, tree: { maxTokens } },
    concurrent: 1,
    rest: { wakeAt: undefined },
  });
  return refused;
}
