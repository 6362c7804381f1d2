// SearXNG, a self-hosted search engine: https://docs.searxng.org/dev/search_api.html

import { z } from "zod";
import { urlBelow } from "../http-response.ts";
import { resultsWith, type SearchProvider } from "./provider.ts";

export const searxng: SearchProvider = {
  request: (base, { query }) => ({
    url: urlBelow(base, "search", { q: query, format: "json" }),
    headers: {},
  }),
  answer: z.object({ results: resultsWith("content", "publishedDate") }).transform(({ results }) => results),
  statuses: {
    403: "SearXNG answers no JSON (403): a person adds `json` to `search.formats` in its settings.yml.",
  },
};
