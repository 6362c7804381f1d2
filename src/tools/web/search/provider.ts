// The contract of a search provider: how it is asked, and how its answer is read. It sends nothing itself, so that bounds, secrets
// and failures are handled in one place.

import type { z } from "zod";

export interface SearchQuery {
  query: string;
  /** How many results at most. */
  count: number;
}

export interface SearchResult {
  title: string;
  url: string;
  /** A few sentences, perhaps with tags and entities in them. */
  snippet: string;
  /** When it was written, in the provider's words. */
  date?: string | undefined;
}

export interface SearchRequest {
  url: URL;
  headers: Record<string, string>;
  /** Sent by POST, as JSON. */
  body?: unknown;
}

export interface SearchProvider {
  /** Where it is, unless the configuration says otherwise. */
  address?: string;
  request(base: URL, question: SearchQuery, key: string | undefined): SearchRequest;
  answer: z.ZodType<SearchResult[]>;
  /** What a person must look at, for statuses that mean something of their own here. */
  statuses?: Readonly<Record<number, string>>;
}

/** Below the base, whatever path it has. */
export function urlBelow(base: URL, path: string, parameters: Record<string, string> = {}): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
