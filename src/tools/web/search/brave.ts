// Brave Search: https://api-dashboard.search.brave.com/documentation

import { z } from "zod";
import { urlBelow } from "../http-response.ts";
import { resultsWith, type SearchProvider } from "./provider.ts";

const MAX_COUNT = 20;
const WRONG_KEY = "Brave does not take the key";

export const brave: SearchProvider = {
  address: "https://api.search.brave.com",
  request: (base, { query, count }, key) => ({
    url: urlBelow(base, "res/v1/web/search", { q: query, count: String(Math.min(count, MAX_COUNT)) }),
    headers: { "X-Subscription-Token": key ?? "" },
  }),
  // Brave leaves out `web` if there are no results.
  answer: z
    .object({ web: z.object({ results: resultsWith("description", "page_age") }).nullish() })
    .transform(({ web }) => web?.results ?? []),
  statuses: {
    422: `${WRONG_KEY} or the query (422): a shorter query may work; else a person looks at search.keyEnv.`,
  },
};
