// Lists all runs that match a filter, newest first, page by page.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunPage, RunSummary, RunsFilter } from "../../api/client/types.ts";

const PAGE = 500;

export async function* allRuns(
  client: CadreClient,
  filter: Omit<RunsFilter, "limit" | "cursor">,
): AsyncGenerator<RunSummary, void> {
  let cursor: string | undefined;
  do {
    const page: RunPage = await client.get("/api/runs", { ...filter, cursor, limit: PAGE });
    yield* page.runs;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
