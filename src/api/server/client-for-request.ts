// Makes a client for this process's own API. The client acts as the sender of a request.
// The MCP and OpenAI routes use this client, so that their calls pass the same access checks and routes as other requests.

import { type CadreClient, createClient } from "../client/client.ts";

export type ClientForRequest = (request: Request, via?: string) => CadreClient;

interface Served {
  fetch(request: Request): Response | Promise<Response>;
}

/** Headers that describe the request itself. They are not copied. Other headers are copied, because they might identify the sender. */
const REQUEST_HEADERS = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "transfer-encoding",
];

/** `outermost` returns the app that checks access. */
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
