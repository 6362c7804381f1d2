// The API once more, from inside, as whoever sent a request: the protocols that are served beside it (MCP, OpenAI's) ask it by
// the same routes and through the same door as everybody, so that no right is checked in two places.

import { type CadreClient, createClient } from "../client/client.ts";

export type ClientForRequest = (request: Request, via?: string) => CadreClient;

interface Served {
  fetch(request: Request): Response | Promise<Response>;
}

/** What belongs to the one request, and not to who sent it. */
const OF_REQUEST = [
  "accept",
  "connection",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "transfer-encoding",
];

/** `outermost`: with everything that stands before the routes. */
export function createClientForRequest(outermost: () => Served): ClientForRequest {
  return (request, via) => {
    const { origin } = new URL(request.url);
    const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(request.headers);
      for (const name of OF_REQUEST) headers.delete(name);
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
      return outermost().fetch(new Request(url, { ...init, headers }));
    };
    return createClient({ fetch, baseUrl: origin, via });
  };
}
