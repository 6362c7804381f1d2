// `cadre mcp`: an MCP server over stdin and stdout, for MCP clients that start their servers themselves.
// This process either owns the store and drives the runs, or is a client of the owner. It exits when stdin ends.

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { FeedItem } from "../../api/client/types.ts";
import { createChangeNotifier, neverChanges } from "../../api/mcp/resource-changes.ts";
import { createMcpServer } from "../../api/mcp/server.ts";
import { version } from "../../runtime/version.ts";
import { openReconnectingClient, type ReconnectingClient } from "../connection/reconnecting-client.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { watchShutdown } from "../terminal/shutdown.ts";

const PAUSE_MS = 1_000;

export async function mcp({ folder, io }: Invocation): Promise<number> {
  const leaving = watchShutdown(io);
  const over = new AbortController();
  const signal = AbortSignal.any([leaving.signal, over.signal]);
  io.stdin.once("end", () => over.abort());
  io.stdin.once("close", () => over.abort());
  try {
    const lasting = await openReconnectingClient({ folder, io, drive: true, via: "mcp" });
    const listeners = new Set<(uri: string) => void>();
    const told = tellChanges(lasting, listeners, signal);
    const serving = serveStdio(
      ({ era }) => {
        const server = createMcpServer(lasting.withClient, { version: version(), subscribe: true });
        listeners.add(listenerOf(server, era));
        return server;
      },
      {
        transport: new StdioServerTransport(
          io.stdin as Readable,
          io.stdout as NodeJS.WritableStream as Writable,
        ),
      },
    );
    if (!signal.aborted) await once(signal, "abort");
    await serving.close();
    await told;
    await lasting.close();
    return EXIT.done;
  } finally {
    leaving.dispose();
  }
}

/** A client of the older protocol subscribes to each resource separately. For newer clients the SDK tracks subscriptions. */
function listenerOf({ server }: McpServer, era: "legacy" | "modern"): (uri: string) => void {
  const wanted = new Set<string>();
  if (era === "legacy") {
    server.setRequestHandler("resources/subscribe", ({ params }) => {
      if (neverChanges(params.uri))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `${params.uri} does not report changes: read it again.`,
        );
      wanted.add(params.uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      wanted.delete(params.uri);
      return {};
    });
  }
  return (uri) => {
    if (era === "legacy" && !wanted.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch(() => {});
  };
}

async function tellChanges(
  { withClient }: ReconnectingClient,
  listeners: ReadonlySet<(uri: string) => void>,
  signal: AbortSignal,
): Promise<void> {
  const changes = createChangeNotifier((runId) =>
    withClient(async (client) => (await client.get("/api/runs/{id}", { id: runId })).parentRunId),
  );
  const tellAll = (uri: string): void => {
    for (const tell of listeners) tell(uri);
  };
  while (!signal.aborted) {
    const followed = withClient(async (client) => {
      for await (const item of client.feed({ signal })) {
        const runId = changedBy(item);
        if (runId !== undefined) void changes([runId], tellAll);
      }
    });
    // We reopen the stream of changes without a message. The client's next request will report a lost connection.
    await followed.catch(() => pause(PAUSE_MS, undefined, { signal }).catch(() => {}));
  }
}

function changedBy(item: FeedItem): string | undefined {
  if (item.type === "reset" || item.live.type === "SettingsUpdated" || item.live.type === "Token")
    return undefined;
  return item.live.type === "StateUpdated" ? item.live.run.run_id : item.live.run_id;
}
