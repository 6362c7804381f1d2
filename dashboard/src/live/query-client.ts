// The query cache. Data stays fresh until the feed reports a change (keep-queries-fresh.ts). Only `driversQuery` polls.
// A failed query is retried only if the server was unreachable. After a reconnect everything is refetched.

import { type Query, QueryClient, type QueryFilters } from "@tanstack/react-query";
import { isUnreachable } from "../../../src/api/client/client.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => isUnreachable(error) && failures < 3,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

/**
 * Refetches queries. If a request is under way, its answer might be older than the change, so a second request follows.
 * The query client alone would keep the old answer. If it cancelled the first request instead, frequent changes might prevent every answer.
 */
export function refetchQueries(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll(filters)) void askQueryAgain(client, query);
}

async function askQueryAgain(client: QueryClient, query: Query): Promise<void> {
  const underWay = query.state.fetchStatus === "idle" ? undefined : query.promise;
  // The component that started the request shows its failure.
  await underWay?.catch(() => undefined);
  const { queryKey } = query;
  await client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}
