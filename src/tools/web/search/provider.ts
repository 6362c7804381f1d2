// The contract of a search provider, which builds the request and parses the response.
// A provider sends nothing itself, so that limits, secrets and failures are handled in one place.

import { z } from "zod";

export interface SearchQuery {
  query: string;
  count: number;
}

export interface SearchResult {
  title: string;
  url: string;
  /** A few sentences, which can contain HTML tags and entities. */
  snippet: string;
  /** Date of the page, in the provider's format. */
  date?: string | undefined;
}

export interface SearchRequest {
  url: URL;
  headers: Record<string, string>;
  /** The request's body. It is sent as JSON with POST. If it is absent, the request is a GET. */
  body?: unknown;
}

export interface SearchProvider {
  /** Default address, which the configuration can replace. */
  address?: string;
  request(base: URL, question: SearchQuery, key: string | undefined): SearchRequest;
  answer: z.ZodType<SearchResult[]>;
  /** Sentences for status codes that have a special meaning at this provider. */
  statuses?: Readonly<Record<number, string>>;
}

/** Parses a list of results whose snippet and date fields have these names. */
export const resultsWith = (snippet: string, date: string) =>
  z.array(
    z
      .object({ title: z.string(), url: z.string() })
      .and(z.object({ [snippet]: z.string().nullish(), [date]: z.string().nullish() }))
      .transform(
        (found): SearchResult => ({
          title: found.title,
          url: found.url,
          snippet: found[snippet] ?? "",
          date: found[date] ?? undefined,
        }),
      ),
  );
