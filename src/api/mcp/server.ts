// Cadre as an MCP server, with the same tools and resources over every transport.
// The server has no state. Each HTTP request and each stdio connection gets a new server.

import { type CallToolResult, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { type CadreError, toCadreError } from "../../errors.ts";
import { isUnreachable } from "../client/client.ts";
import { errorBody } from "../server/http-errors.ts";
import { decisionTools } from "./decision-tools.ts";
import { addResources } from "./resources.ts";
import { runTools } from "./run-tools.ts";
import type { McpCall, McpTool, ToolAnswer, WithClient } from "./tool.ts";
import { NOTE } from "./views.ts";

export const MCP_TOOLS: readonly McpTool[] = [...runTools, ...decisionTools];

const INSTRUCTIONS = `Cadre runs trees of agents. \`spawn\` starts one and returns at once, or waits with \`awaitResult\`; follow it by its resource cadre://runs/ID or by \`run_status\`. A run that needs a decision says so in \`needs\`: show it to a person, then \`approve\`, \`reject\` or \`answer\`. ${NOTE}`;

export interface McpOptions {
  version: string;
  /** True if clients can subscribe to resource changes. */
  subscribe: boolean;
}

export function createMcpServer(ask: WithClient, { version, subscribe }: McpOptions): McpServer {
  const server = new McpServer(
    { name: "cadre", title: "Cadre", version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { resources: { subscribe, listChanged: false }, tools: { listChanged: false } },
    },
  );
  for (const { name, title, description, input, kind, call } of MCP_TOOLS)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: {
          readOnlyHint: kind === "reads",
          destructiveHint: kind === "decides",
          idempotentHint: kind !== "acts",
          openWorldHint: kind !== "reads",
        },
      },
      async (given, context) => {
        try {
          return resultOf(await call(given as never, ask, callOf(context)));
        } catch (error) {
          return refusalOf(toCadreError(error));
        }
      },
    );
  addResources(server, ask);
  return server;
}

function callOf({ mcpReq: { signal, _meta: meta, notify } }: ServerContext): McpCall {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { signal };
  let progress = 0;
  return {
    signal,
    progress(message) {
      const params = { progressToken, progress: ++progress, message };
      // A client that has gone away gets no progress. Its call ends by the signal.
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

function resultOf({ result, links = [] }: ToolAnswer): CallToolResult {
  const structuredContent = { note: NOTE, ...result };
  return {
    content: [
      { type: "text", text: JSON.stringify(structuredContent) },
      ...links.map((link) => ({ type: "resource_link" as const, mimeType: "application/json", ...link })),
    ],
    structuredContent,
  };
}

/** S1-19 requires the text `PERMISSION_DENIED: X cannot spawn Y`. */
function refusalOf(failure: CadreError): CallToolResult {
  const { code, message } = isUnreachable(failure) ? failure : errorBody(failure).error;
  const word = code === "FORBIDDEN" || code === "UNAUTHORIZED" ? "PERMISSION_DENIED" : code;
  return { content: [{ type: "text", text: `${word}: ${message}` }], isError: true };
}
