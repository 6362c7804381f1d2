// The client for programs: `cadre/client`. It gives the address and the token of a server to the client that Cadre uses itself.

import { type CadreClient, createClient as createInnerClient } from "./client.ts";

export interface PublicClientOptions {
  /** The address of the server, such as `http://127.0.0.1:4470`, with the base path of `cadre.handler` if it has one. */
  url: string;
  /** The server's token (`.cadre/token`), or the token of a user. */
  token?: string | undefined;
  /** Default: the global `fetch`. */
  fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

/** Makes a client whose requests and answers have the types of the API. A failed call throws a CadreError with the server's `code`. */
export function createClient({
  url,
  token,
  fetch: send = (...given) => fetch(...given),
}: PublicClientOptions): CadreClient {
  return createInnerClient({
    baseUrl: url.replace(/\/$/, ""),
    fetch(address, init = {}) {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
      return send(address, { ...init, headers });
    },
  });
}
