// The query cache. Data stays fresh until the feed reports a change (keep-queries-fresh.ts), so nothing polls except
// `driversQuery`, and failures are not retried silently.

import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "../../../src/api/client/client.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // Retries only while the server is unreachable; after a reconnect everything is refetched.
      retry: (failures, error) => isUnreachable(error) && failures < 3,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
