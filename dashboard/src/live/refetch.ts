import type { Query, QueryClient, QueryFilters } from "@tanstack/react-query";

/**
 * Asks anew, and in any case after now. An answer under way may be older than the news: by itself the client would take
 * it for the new one (a first answer), or break it off at every news and never show one.
 */
export function refetchQueries(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll(filters)) void askQueryAgain(client, query);
}

async function askQueryAgain(client: QueryClient, query: Query): Promise<void> {
  const underWay = query.state.fetchStatus === "idle" ? undefined : query.promise;
  // That it failed is shown where it was asked.
  await underWay?.catch(() => undefined);
  const { queryKey } = query;
  await client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
}
