// An app on a server of Node's, with limits that no client can stretch, and an end that cuts nobody's answer short.

import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";

/** Heartbeats keep a live stream above this; a reader that is gone or stands still is cut off by it. */
const SILENT_MS = 60_000;

/** A client that never ends its request must not hold up a process that is to stop. */
const ANSWER_MS = 1_000;

/** Who sends a request byte by byte is cut off by then (A15). */
const SLOW = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };

export interface Served {
  /** Writes that are under way get a moment for their answer; streams are cut. */
  close(): Promise<void>;
}

export interface HttpServer extends Served {
  server: Server;
  /** Everybody's connection; writes that are under way get a moment for their answer. */
  cut(): Promise<void>;
}

export function createHttpServer(app: Pick<Hono, "fetch">): HttpServer {
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const writes = new Set<ServerResponse>();
  const server = createServer(SLOW, (incoming, response) => {
    if (incoming.method !== "GET") {
      writes.add(response);
      response.once("close", () => writes.delete(response));
    }
    void handle(incoming, response);
  });
  server.setTimeout(SILENT_MS);
  server.maxHeadersCount = 100;
  const cut = async (): Promise<void> => {
    const answered = [...writes].map((response) => new Promise((resolve) => response.once("close", resolve)));
    await Promise.race([Promise.all(answered), pause(ANSWER_MS, undefined, { ref: false })]);
    server.closeAllConnections();
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
