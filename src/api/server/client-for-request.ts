// Makes a client of this process's own API that acts as the sender of a request.
// The MCP and OpenAI routes use the client, so that their requests pass the same access checks and the same routes.

import { type CadreClient, createClient } from "../client/client.ts";

export type ClientForRequest = (request: Request, via?: string) => CadreClient;

interface Served {
  fetch(request: Request): Response | Promise<Response>;
}

/** Headers that describe the request and not its sender. */
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

/** `outermost` returns the app with its access checks. */
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
