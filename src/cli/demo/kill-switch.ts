// The kill switch on the demo's web page.
// The switch kills the server without a shutdown, like a power cut. After the restart, the page shows how many runs recovered.

import type { Recovery } from "../../api/client/types.ts";
import type { ApiParts } from "../../api/parts.ts";
import type { DemoServer } from "../../api/routes/demo.ts";
import type { RunId } from "../../ids.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { fold } from "../../projections/projection.ts";
import { repeatedEffectsProjection } from "../../projections/views/repeated-effects.ts";
import type { Store } from "../../stores/store.ts";

/** Time to send the response before the process is killed. */
const ANSWER_MS = 50;
/** A run has recovered if it resumes within this time after the restart. */
const PATIENCE_MS = 10_000;
const MOST = 500;

/** Must be called before any run is driven. `goneAt` is the time when the supervisor noticed that the previous server had exited. */
export async function createKillSwitch(
  { store }: Pick<ApiParts, "store">,
  goneAt: number | undefined,
): Promise<DemoServer> {
  const left = goneAt === undefined ? [] : await unfinishedRows(store);
  const recovery = goneAt === undefined ? undefined : awaitRecovery(left, store);
  return {
    kill() {
      setTimeout(() => process.kill(process.pid, "SIGKILL"), ANSWER_MS);
    },
    async lastRecovery(): Promise<Recovery | undefined> {
      if (goneAt === undefined || !recovery) return undefined;
      const { missing, at } = await recovery;
      const repeated = await countRepeated(store, left);
      return { recovered: left.length - missing, missing, ms: at - goneAt, repeated };
    },
  };
}

const unfinishedRows = async (store: Store): Promise<RunRow[]> =>
  (await store.runs.list({ status: ["pending", "running", "waiting", "suspended"], limit: MOST })).runs;

/** Waits until the journal of each run in progress grows, which means that the run has recovered. Waiting runs need no recovery. */
function awaitRecovery(left: readonly RunRow[], store: Store): Promise<{ missing: number; at: number }> {
  const open = new Set<RunId>();
  for (const { id, status } of left) if (status === "pending" || status === "running") open.add(id);
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(late);
      unsubscribe();
      resolve({ missing: open.size, at: Date.now() });
    };
    const late = setTimeout(settle, PATIENCE_MS).unref();
    const unsubscribe = store.journal.onCommit((events) => {
      for (const { runId } of events) open.delete(runId);
      if (open.size === 0) settle();
    });
    if (open.size === 0) settle();
  });
}

async function countRepeated(store: Store, runs: readonly RunRow[]): Promise<number> {
  const counts = await Promise.all(
    runs.map(async ({ id }) => fold(repeatedEffectsProjection, await store.journal.read(id)).count),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
