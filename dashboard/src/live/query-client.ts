// What was asked of the server, kept until the feed tells that it has changed (follow-feed.ts). So nothing is asked on
// a timer but for what no event tells (`driversQuery`), and nothing that failed is asked again in silence.

import { QueryClient } from "@tanstack/react-query";
import { isUnreachable } from "../../../src/api/client/client.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // While the server is away: when it is back, everything is asked anew.
      retry: (failures, error) => isUnreachable(error) && failures < 3,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
