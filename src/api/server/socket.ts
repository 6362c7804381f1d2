// The API's server and client on a Unix socket.
// Only the user who owns the process can open the socket (E1). Each request must also contain the socket's key, so that a command
// that reaches the socket although its sandbox should hide it can do nothing (A93).

import { timingSafeEqual } from "node:crypto";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { type IncomingMessage, request, type Server } from "node:http";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Hono } from "hono";
import { CadreError } from "../../errors.ts";
import type { ClientOptions } from "../client/client.ts";
import { errorBody } from "./http-errors.ts";
import { createHttpServer, type Served } from "./http-server.ts";

export const SOCKET_KEY_HEADER = "X-Cadre-Socket-Key";

export async function serveOnSocket(app: Pick<Hono, "fetch">, path: string, key: string): Promise<Served> {
  const { server, close } = createHttpServer(requireKey(app, key));
  await listenPrivately(server, path);
  return {
    async close() {
      await rm(path, { force: true });
      await close();
    },
  };
}

/** Refuses every request without the key, also those that only read. */
function requireKey(app: Pick<Hono, "fetch">, key: string): Pick<Hono, "fetch"> {
  const expected = Buffer.from(key);
  if (expected.length === 0) throw new CadreError("INTERNAL", "A socket without a key is not served.");
  return {
    fetch(request, ...rest) {
      const given = Buffer.from(request.headers.get(SOCKET_KEY_HEADER) ?? "");
      if (given.length === expected.length && timingSafeEqual(given, expected))
        return app.fetch(request, ...rest);
      return Response.json(errorBody(wrongKey()), { status: 401 });
    },
  };
}

const wrongKey = (): CadreError =>
  new CadreError(
    "UNAUTHORIZED",
    "This socket needs the key in socket.key in the folder of your own Cadre settings. Use the same user, HOME and XDG_CONFIG_HOME as the process that owns the store, and the same version of Cadre. Nothing was done.",
  );

/**
 * Returns a `fetch` function that uses the socket. Each request opens its own connection, because connections are cheap on a socket.
 * `readKey` is called for each request, because the server might create the key after its client has started.
 */
export function socketFetch(
  path: string,
  readKey: () => string | undefined,
): NonNullable<ClientOptions["fetch"]> {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const { method = "GET", body, signal } = init;
      const headers = new Headers(init.headers);
      headers.set(SOCKET_KEY_HEADER, readKey() ?? "");
      const sent = request({
        socketPath: path,
        path: `${pathname}${search}`,
        method,
        headers: Object.fromEntries(headers),
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
