// Brave Search: https://api-dashboard.search.brave.com/documentation

import { z } from "zod";
import { type SearchProvider, urlBelow } from "./provider.ts";

const MAX_COUNT = 20;
const WRONG_KEY = "Brave does not take the key";

export const brave: SearchProvider = {
  address: "https://api.search.brave.com",
  request: (base, { query, count }, key) => ({
    url: urlBelow(base, "res/v1/web/search", { q: query, count: String(Math.min(count, MAX_COUNT)) }),
    headers: { "X-Subscription-Token": key ?? "" },
  }),
  answer: z
    .object({
      // Absent if nothing was found.
      web: z
        .object({
          results: z.array(
            z.object({
              title: z.string(),
              url: z.string(),
              description: z.string().nullish(),
              page_age: z.string().nullish(),
            }),
          ),
        })
        .nullish(),
    })
    .transform(({ web }) =>
      (web?.results ?? []).map(({ title, url, description, page_age }) => ({
        title,
        url,
        snippet: description ?? "",
        date: page_age ?? undefined,
      })),
    ),
  statuses: {
    422: `${WRONG_KEY} or the query (422): a shorter query may work; else a person looks at search.keyEnv.`,
  },
};
