// A client of this process's own API that acts as the sender of a request. MCP and OpenAI's protocol use it, so that their
// requests pass the same door and the same routes, and rights are checked in one place.

import { type CadreClient, createClient } from "../client/client.ts";

export type ClientForRequest = (request: Request, via?: string) => CadreClient;

interface Served {
  fetch(request: Request): Response | Promise<Response>;
}

/** Headers that belong to the one request, not to its sender. */
const REQUEST_HEADERS = [
  "accept",
  "connection",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "transfer-encoding",
];

/** `outermost`: the app with its door. */
export function createClientForRequest(outermost: () => Served): ClientForRequest {
  return (request, via) => {
    const { origin } = new URL(request.url);
    const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(request.headers);
      for (const name of REQUEST_HEADERS) headers.delete(name);
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
      return outermost().fetch(new Request(url, { ...init, headers }));
    };
    return createClient({ fetch, baseUrl: origin, via });
  };
}
