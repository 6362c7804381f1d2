// Runs an app on Node's HTTP server, with strict limits for clients and a graceful shutdown.
//  G10 Requests begin in the order of their arrival, one in each turn of the event loop.
//  G8  A client that sends slowly or sends nothing is disconnected after some seconds. Connections beyond the limit are closed (A15).

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";

/** How long a shutdown waits for active requests. After this time it closes the connections of clients that have not finished. */
const ANSWER_MS = 1_000;

export interface HttpLimits {
  /** Time limit from opening a connection to the end of the headers. */
  headersMs: number;
  /** Time limit from opening a connection to the end of the body. */
  requestMs: number;
  /** How long a connection can be silent before it is closed. Heartbeats keep live streams open. */
  silentMs: number;
  /** How often the time limits are checked. */
  lookMs: number;
  /** Maximum number of connections. Further connections are closed, because files, programs and the store need file descriptors too. */
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
  /** Closes streams immediately. Other connections get a moment to finish active writes. */
  close(): Promise<void>;
}

export interface HttpServer extends Served {
  server: Server;
  /** Closes the connections in `only`, or all connections if `only` is absent. Active writes get a moment to finish. */
  cut(only?: ReadonlySet<Socket>): Promise<void>;
}

export function createHttpServer(app: Pick<Hono, "fetch">, limits: HttpLimits = HTTP_LIMITS): HttpServer {
  const handle = getRequestListener(pipeEventStreams(app), { overrideGlobalObjects: false });
  const writes = new Set<ServerResponse>();
  const begin = createTurns();
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.lookMs,
    // A busy server could close a connection as idle although an unread request waits on it. This extra time prevents that.
    keepAliveTimeoutBuffer: limits.headersMs,
  };
  const server = createServer(options, (incoming, response) => {
    if (incoming.method !== "GET") {
      writes.add(response);
      response.once("close", () => writes.delete(response));
    }
    begin(() => {
      // The client might have disconnected while it waited.
      if (!response.destroyed) void handle(incoming, response);
    });
  });
  server.setTimeout(limits.silentMs);
  server.maxHeadersCount = 100;
  server.maxConnections = limits.connections;
  const cut = async (only?: ReadonlySet<Socket>): Promise<void> => {
    // Streams have no end to wait for. So we wait only for answers that have not begun, and for answers that are written but not yet sent.
    const open = [...writes].filter((response) => !response.headersSent || response.writableEnded);
    const affected = open.filter(({ socket }) => only === undefined || (socket && only.has(socket)));
    const writing = new Set(affected.map(({ socket }) => socket));
    for (const socket of only ?? []) if (!writing.has(socket)) socket.destroy();
    const closings = affected.map((response) => new Promise((resolve) => response.once("close", resolve)));
    await Promise.race([Promise.all(closings), pause(ANSWER_MS, undefined, { ref: false })]);
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

/**
 * Begins one request in each turn of the event loop, in the order of arrival. The loop accepts only one connection per turn.
 * If a turn began all waiting requests, busy clients would make each turn long, and a new client would wait for many of them.
 */
function createTurns(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    const work = waiting.shift();
    if (!work) return;
    if (waiting.length > 0) setImmediate(next);
    work();
  };
  return (work) => {
    if (waiting.push(work) === 1) setImmediate(next);
  };
}

type Env = { outgoing: ServerResponse };

/**
 * Sends event streams with our own loop. The adapter sends all other answers.
 * The adapter's loop chains a promise for each read, so its memory would grow with every event until the stream ends.
 */
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
    // The reader has disconnected, or the stream has failed and has already reported its failure.
    outgoing.destroy();
  }
}
