// An app on a server of Node's, with limits that no client can stretch, and an end that cuts nobody's answer short.
//  G8  Who sends slowly, or nothing, holds a connection for seconds; who opens more than there may be gets none (A15).

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";

/** A client that never ends its request must not hold up a process that is to stop. */
const ANSWER_MS = 1_000;

export interface HttpLimits {
  /** From a connection's first moment to the end of the request's headers, however they trickle in. */
  headersMs: number;
  /** To the end of its body. */
  requestMs: number;
  /** Heartbeats keep a live stream above this; a reader that is gone or stands still is cut off by it. */
  silentMs: number;
  /** How often connections are looked at. */
  lookMs: number;
  /** What is opened beyond is closed at once: files, programs and the store need descriptors too. */
  connections: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silentMs: 60_000,
  lookMs: 1_000,
  connections: 5_000,
};

export interface Served {
  /** Writes that are under way get a moment for their answer; streams are cut. */
  close(): Promise<void>;
}

export interface HttpServer extends Served {
  server: Server;
  /** Everybody's connection, or these; writes that are under way on them get a moment for their answer. */
  cut(only?: ReadonlySet<Socket>): Promise<void>;
}

export function createHttpServer(app: Pick<Hono, "fetch">, limits: HttpLimits = HTTP_LIMITS): HttpServer {
  const handle = getRequestListener(pipeEventStreams(app), { overrideGlobalObjects: false });
  const writes = new Set<ServerResponse>();
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.lookMs,
    // A busy server must not close a connection as idle while a request that came in time still waits to be read.
    keepAliveTimeoutBuffer: limits.headersMs,
  };
  const server = createServer(options, (incoming, response) => {
    if (incoming.method !== "GET") {
      writes.add(response);
      response.once("close", () => writes.delete(response));
    }
    void handle(incoming, response);
  });
  server.setTimeout(limits.silentMs);
  server.maxHeadersCount = 100;
  server.maxConnections = limits.connections;
  const cut = async (only?: ReadonlySet<Socket>): Promise<void> => {
    // An answer that is a stream has no end to wait for.
    const open = [...writes].filter((response) => !response.headersSent || response.writableEnded);
    const concerned = open.filter(({ socket }) => only === undefined || (socket && only.has(socket)));
    const writing = new Set(concerned.map(({ socket }) => socket));
    for (const socket of only ?? []) if (!writing.has(socket)) socket.destroy();
    const answered = concerned.map((response) => new Promise((resolve) => response.once("close", resolve)));
    await Promise.race([Promise.all(answered), pause(ANSWER_MS, undefined, { ref: false })]);
    if (only === undefined) server.closeAllConnections();
    else for (const socket of only) socket.destroy();
  };
  return {
    server,
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await cut();
      await closed;
    },
  };
}

// Streams that last go out by a loop of our own. The adapter's pump answers each read with the promise of the next one:
// a chain that grows with every event for every reader, until the stream has ended.
type Env = { outgoing: ServerResponse };

/** For the adapter: everything but event streams it sends itself. */
const pipeEventStreams =
  (app: Pick<Hono, "fetch">) =>
  async (request: Request, env: object): Promise<Response> => {
    const response = await app.fetch(request, env);
    if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response;
    const { outgoing } = env as Env;
    outgoing.setHeaders(response.headers).writeHead(response.status).flushHeaders();
    void pipe(response.body, outgoing);
    return RESPONSE_ALREADY_SENT;
  };

async function pipe(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const reader = body.getReader();
  outgoing.once("close", () => {
    closed.abort();
    void reader.cancel();
  });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      if (!outgoing.write(read.value)) await once(outgoing, "drain", { signal: closed.signal });
    outgoing.end();
  } catch {
    // Gone, or ended by an error that its maker has told of: either way nothing more comes.
    outgoing.destroy();
  }
}
