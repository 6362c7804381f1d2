// The contract of a search provider: it builds the request and parses the response. It sends nothing itself, so that limits,
// secrets and failures are handled in one place.

import type { z } from "zod";

export interface SearchQuery {
  query: string;
  /** Maximum number of results. */
  count: number;
}

export interface SearchResult {
  title: string;
  url: string;
  /** A few sentences, perhaps with HTML tags and entities. */
  snippet: string;
  /** Date of the page, in the provider's format. */
  date?: string | undefined;
}

export interface SearchRequest {
  url: URL;
  headers: Record<string, string>;
  /** Sent by POST, as JSON. */
  body?: unknown;
}

export interface SearchProvider {
  /** Default address; the configuration may replace it. */
  address?: string;
  request(base: URL, question: SearchQuery, key: string | undefined): SearchRequest;
  answer: z.ZodType<SearchResult[]>;
  /** Sentences for status codes with a special meaning at this provider. */
  statuses?: Readonly<Record<number, string>>;
}

/** A URL below the base, keeping the path of the base. */
export function urlBelow(base: URL, path: string, parameters: Record<string, string> = {}): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
