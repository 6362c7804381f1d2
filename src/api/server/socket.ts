// The API's server and client on a Unix socket.
// No token is needed, because only the user who owns the process can open the socket (E1).

import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { type IncomingMessage, request, type Server } from "node:http";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Hono } from "hono";
import type { ClientOptions } from "../client/client.ts";
import { createHttpServer, type Served } from "./http-server.ts";

export async function serveOnSocket(app: Pick<Hono, "fetch">, path: string): Promise<Served> {
  const { server, close } = createHttpServer(app);
  await listenPrivately(server, path);
  return {
    async close() {
      await rm(path, { force: true });
      await close();
    },
  };
}

/** Returns a `fetch` function that uses the socket. Each request opens its own connection, because connections are cheap on a socket. */
export function socketFetch(path: string): ClientOptions["fetch"] {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const { method = "GET", body, signal } = init;
      const sent = request({
        socketPath: path,
        path: `${pathname}${search}`,
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: false,
        ...(signal ? { signal } : {}),
      });
      sent.on("error", reject);
      sent.once("response", (incoming) => resolve(responseOf(incoming)));
      sent.end(typeof body === "string" ? body : undefined);
    });
}

/**
 * Creates the socket in a private folder, sets its permissions, and moves it into place. So other users can never connect.
 * The move replaces a socket that a crash left behind.
 */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), "s"));
  try {
    const hidden = join(folder, "s");
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(hidden, resolve);
    });
    await chmod(hidden, 0o600);
    await rename(hidden, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const status = incoming.statusCode ?? 500;
  if (BODILESS.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body, { status, headers });
}

/** Statuses whose responses must not have a body, not even an empty one. */
const BODILESS = new Set([204, 205, 304]);
