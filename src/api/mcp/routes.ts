// Cadre as an MCP server over streamable HTTP. The server is stateless: after a restart, a client only has to repeat its request.
// Only clients of the stateless protocol (2026-07-28) can listen for changes.

import type { CreateMcpHandlerOptions, McpHttpHandler, McpServerFactory } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { type Route, route, routesWith } from "../routes/route.ts";
import type { ClientForRequest } from "../server/client-for-request.ts";
import { HttpError, InvalidJsonError } from "../server/http-errors.ts";
import { createChangeNotifier } from "./resource-changes.ts";

const Message = z.looseObject({ jsonrpc: z.literal("2.0"), method: z.string().exactOptional() });
const Messages = z.union([Message, z.array(Message).min(1).max(100)]);
const Refused = z.looseObject({
  jsonrpc: z.literal("2.0"),
  error: z.looseObject({ code: z.int(), message: z.string() }),
});

const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;

export type McpParts = Pick<ApiParts, "store" | "info"> & { clientFor: ClientForRequest };

export function mcpRoutes(parts: McpParts): Route[] {
  let handler: Promise<McpHttpHandler> | undefined;
  return mcpOverHttp(() => {
    handler ??= handlerOf(parts);
    return handler;
  });
}

/** Loads the MCP package at the first request: every `cadre run` has these routes, but they are rarely used. */
async function handlerOf({ store, info, clientFor }: McpParts): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./server.ts"),
  ]);
  const factory: McpServerFactory = ({ requestInfo, era }) => {
    const client = clientFor(requestInfo!, "mcp");
    return createMcpServer((use) => use(client), { version: info.version, subscribe: era === "modern" });
  };
  return createMcpHandler(factory, { bus: changesOf(store) });
}

/** Builds the routes of an MCP server from a handler. */
export function mcpOverHttp(handler: () => Promise<McpHttpHandler>): Route[] {
  return [
    mcp.post(
      "/mcp",
      {
        summary: "Cadre as an MCP server (streamable HTTP)",
        body: Messages,
        answer: z.union([Message, z.array(Message)]),
        media: ["text/event-stream"],
        otherStatuses: { 202: "A notification was accepted." },
        // Every role is admitted here. The tools call the API as the sender of the message, and the API checks the sender's role.
        role: "viewer",
      },
      async ({ body }, c) => (await handler()).fetch(c.req.raw, { parsedBody: body }),
    ),
    route.get(
      "/mcp",
      { summary: "No separate stream: use `subscriptions/listen` (405)", media: [] },
      refuseMethod,
    ),
    route.delete("/mcp", { summary: "No session to end (405)", media: [] }, refuseMethod),
  ];
}

const mcp = routesWith({
  schema: Refused,
  of: (error) => ({
    jsonrpc: "2.0",
    id: null,
    error: {
      code: error instanceof InvalidJsonError ? PARSE_ERROR : INVALID_REQUEST,
      message: error.message,
      data: { code: error.code },
    },
  }),
});

function refuseMethod(): never {
  throw new HttpError(405, "Send MCP messages with POST.");
}

/** Notifies subscribers of every commit. Listens for commits only while there are subscribers. */
function changesOf(store: Store): NonNullable<CreateMcpHandlerOptions["bus"]> {
  const changes = createChangeNotifier(async (runId) => (await store.runs.get(runId))?.parentRunId);
  return {
    publish() {},
    subscribe: (listener) =>
      store.journal.onCommit((events) => {
        const runIds = events.map(({ runId }) => runId);
        void changes(runIds, (uri) => listener({ kind: "resource_updated", uri }));
      }),
  };
}
