// The contract of a connection to one server.

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Clock } from "../clock.ts";
import type { McpServer } from "../config/schema.ts";
import type { ListedTool, Listing } from "./listing.ts";

export interface Connection {
  /** Its tools, as it has them now. Throws `ServerFailure`. */
  list(signal?: AbortSignal): Promise<Listing>;
  call(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Ends the server with everything that it started. */
  close(): Promise<void>;
}

export interface ConnectionParts {
  name: string;
  server: McpServer;
  folder: string;
  /** What a server that we start gets of our variables. */
  environment: NodeJS.ProcessEnv;
  /** Where `${NAME}` is looked up. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
}

/** A server that cannot be used now, and whether it has got the call. */
export class ServerFailure extends Error {
  readonly sent: boolean;
  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}
