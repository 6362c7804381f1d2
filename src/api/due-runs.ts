// How many runs wait for somebody who drives. What waits for a person, with nothing decided, does not, although it may be due once
// to be looked at: after an import, or for a message that came meanwhile.

import { approvalId } from "../ids.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { PoolFilter, Store } from "../stores/store.ts";
import { MAX_PAGE } from "./routes/schemas.ts";
import { answeredRuns, mayBeAnswered } from "./views/answered-runs.ts";

/** More are not counted. */
const MOST_DUE = 1_000;

export async function countDue(store: Store, of?: PoolFilter): Promise<number> {
  const now = store.clock.now();
  const due = new Set(await store.leases.due(now, MOST_DUE, of));
  if (due.size === 0) return 0;
  const [{ runs }, items] = await Promise.all([
    store.runs.list({ status: ["suspended"], limit: MAX_PAGE }),
    store.inbox.openItems(),
  ]);
  // What was not decided in time is the driver's to say.
  const open = items.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const ids = new Set(open.map(({ runId, itemId }) => approvalId(runId, itemId)));
  const isUndecided = ({ id, waitingOn }: RunRow): boolean =>
    waitingOn?.kind === "child_hitl" ||
    (waitingOn?.items ?? []).every((item) => ids.has(approvalId(id, item)));
  const asked = runs.filter((row) => due.has(row.id) && mayBeAnswered(row) && !row.cancelRequested);
  const answered = await answeredRuns(store, asked);
  return due.size - asked.filter((row) => isUndecided(row) && !answered.has(row.id)).length;
}
