// Every run that fits, newest first, over as many pages as it takes.

import type { RunRow } from "../projections/folds/run-row.ts";
import type { RunFilter, Store } from "../stores/store.ts";
import { MAX_PAGE } from "./routes/schemas.ts";

export async function* allRuns(
  store: Store,
  filter: Pick<RunFilter, "root"> = {},
): AsyncGenerator<RunRow, void> {
  let next: Pick<RunFilter, "cursor"> | undefined = {};
  while (next) {
    const page = await store.runs.list({ ...filter, ...next, limit: MAX_PAGE });
    yield* page.runs;
    next = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
}
