// The latest runs, of one agent or of all, as far as one looks: enough to say how things go, and never every row there is.

import type { RunRow } from "../projections/folds/run-row.ts";
import type { Store } from "../stores/store.ts";
import { MAX_PAGE } from "./routes/schemas.ts";

const MOST = 5_000;

/** Newest first. `more`: there are older ones, which were not looked at. */
export async function latestRuns(store: Store, agent?: string): Promise<{ rows: RunRow[]; more: boolean }> {
  const rows: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs.list({
      limit: MAX_PAGE,
      ...(agent === undefined ? {} : { agent }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    rows.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && rows.length < MOST);
  return { rows, more: cursor !== undefined };
}
