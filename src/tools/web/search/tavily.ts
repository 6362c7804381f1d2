// Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search

import { z } from "zod";
import { urlBelow } from "../http-response.ts";
import { resultsWith, type SearchProvider } from "./provider.ts";

const MAX_COUNT = 20;
const USED_UP = "Tavily's plan is used up: a person must raise it. Go on without searching.";

export const tavily: SearchProvider = {
  address: "https://api.tavily.com",
  request: (base, { query, count }, key) => ({
    url: urlBelow(base, "search"),
    headers: { Authorization: `Bearer ${key ?? ""}` },
    body: { query, max_results: Math.min(count, MAX_COUNT) },
  }),
  answer: z.object({ results: resultsWith("content", "published_date") }).transform(({ results }) => results),
  statuses: { 432: USED_UP, 433: USED_UP },
};
