// The API on a Unix socket, both ends. Whoever may open the file is the user whose process this is: no token (E1).

import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { ClientOptions } from "./client.ts";

/** Heartbeats keep a live stream above this; a reader that is gone or stands still is cut off by it. */
const SILENT_MS = 60_000;

/** A client that never ends its request must not hold up a process that is to stop. */
const ANSWER_MS = 1_000;

export interface Served {
  /** Writes that are under way get a moment for their answer; streams are cut. */
  close(): Promise<void>;
}

export async function serveOnSocket(app: Pick<Hono, "fetch">, path: string): Promise<Served> {
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const writes = new Set<ServerResponse>();
  const server = createServer((incoming, response) => {
    if (incoming.method !== "GET") {
      writes.add(response);
      response.once("close", () => writes.delete(response));
    }
    void handle(incoming, response);
  });
  server.setTimeout(SILENT_MS);
  await listenPrivately(server, path);
  return {
    async close() {
      await rm(path, { force: true });
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const answered = [...writes].map(
        (response) => new Promise((resolve) => response.once("close", resolve)),
      );
      await Promise.race([Promise.all(answered), pause(ANSWER_MS, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `fetch` to the other end. A connection per request: they are cheap here, and none outlives the owner it leads to. */
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
 * Binds in a folder that is ours alone and moves the socket into place once its mode is right: there is no moment in
 * which others could connect. The move replaces what a crash left there.
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
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body, { status: incoming.statusCode ?? 500, headers });
}
