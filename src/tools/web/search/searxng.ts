// SearXNG, a self-hosted search engine: https://docs.searxng.org/dev/search_api.html

import { z } from "zod";
import { type SearchProvider, urlBelow } from "./provider.ts";

export const searxng: SearchProvider = {
  request: (base, { query }) => ({
    url: urlBelow(base, "search", { q: query, format: "json" }),
    headers: {},
  }),
  answer: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          content: z.string().nullish(),
          publishedDate: z.string().nullish(),
        }),
      ),
    })
    .transform(({ results }) =>
      results.map(({ title, url, content, publishedDate }) => ({
        title,
        url,
        snippet: content ?? "",
        date: publishedDate ?? undefined,
      })),
    ),
  statuses: {
    403: "SearXNG answers no JSON (403): a person adds `json` to `search.formats` in its settings.yml.",
  },
};
