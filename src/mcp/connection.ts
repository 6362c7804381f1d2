// The interface of a connection to one MCP server.

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Clock } from "../clock.ts";
import type { McpServer } from "../config/schema.ts";
import type { ListedTool, Listing } from "./listing.ts";

export interface Connection {
  /** Lists the server's current tools. Throws `ServerFailure`. */
  list(signal?: AbortSignal): Promise<Listing>;
  call(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Ends the server and every process it started. */
  close(): Promise<void>;
}

export interface ConnectionParts {
  name: string;
  server: McpServer;
  folder: string;
  /** Environment variables for a server that Cadre starts. */
  environment: NodeJS.ProcessEnv;
  /** Variables whose values replace `${NAME}` in the server's settings. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
}

/** Thrown if a server cannot be used now. `sent` is true if the server might have received the call. */
export class ServerFailure extends Error {
  readonly sent: boolean;
  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

// Limits on the memory and time that a server can use.

/** Maximum number of bytes in one HTTP response, or in all messages that a stdio server sends between two requests. */
export const MAX_ANSWER = 16 * 1024 * 1024;

export const tooMuch = `it sent more than ${MAX_ANSWER / 1024 / 1024} MB at once and was ended`;

/** Time limit for connecting and for listing the tools. It is long because `npx` might have to download a package first. */
export const CONNECT_MS = 30_000;

/** Time limit of a call. The server's `timeout` or the run's `toolTimeout` can end the call earlier. */
export const LONGEST_CALL_MS = 3_600_000;
