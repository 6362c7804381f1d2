// Lists all runs that match a filter, newest first, page by page.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunSummary, RunsFilter } from "../../api/client/types.ts";

const PAGE = 500;

export async function* allRuns(
  client: CadreClient,
  filter: Omit<RunsFilter, "limit" | "cursor">,
): AsyncGenerator<RunSummary, void> {
  let next: Pick<RunsFilter, "cursor"> | undefined = {};
  while (next) {
    const page = await client.runs({ ...filter, ...next, limit: PAGE });
    yield* page.runs;
    next = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
}
