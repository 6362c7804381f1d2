// Connects to an MCP server, lists its tools and calls them. Only this file and the two transports load the MCP package.
// Every request has a time limit, and every failure is reported to the caller in one sentence.
//  C5  `sent` is true if the call might have taken effect, and false if the call never reached the server.

import { type CallToolResult, Client, SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import cadre from "../../package.json" with { type: "json" };
import { expandVariables } from "../config/expand-variables.ts";
import { messageOf } from "../errors.ts";
import { CONNECT_MS, type ConnectionParts, LONGEST_CALL_MS, ServerFailure } from "./connection.ts";
import { createHttpTransport } from "./http-transport.ts";
import { type ListedTool, type Listing, MAX_TOOLS, readListing } from "./listing.ts";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.ts";

export interface Open {
  client: Client;
  transport: Transport;
  listing?: Promise<Listing> | undefined;
}

interface Call {
  tool: ListedTool;
  input: Record<string, unknown>;
  signal: AbortSignal;
}

export async function callTool(
  { client, transport }: Pick<Open, "client" | "transport">,
  { tool: { name, inputSchema }, input, signal }: Call,
): Promise<CallToolResult> {
  try {
    const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } };
    const options = { signal, timeout: LONGEST_CALL_MS, toolDefinition };
    return await client.callTool({ name, arguments: input }, options);
  } catch (error) {
    const why = reasonOf(error, transport);
    // An HTTP server that was restarted has lost the session. Close the client, so that the next call opens a new session.
    if (error instanceof SdkHttpError) await client.close();
    throw new ServerFailure(why, true);
  }
}

export interface Hooks {
  begun(transport: Transport): void;
  lost(): void;
}

export async function connect(parts: ConnectionParts, { begun, lost }: Hooks): Promise<Open> {
  const { server } = parts;
  const defaults = server.elicitation === "defaults";
  const client = new Client(
    { name: "cadre", version: cadre.version },
    {
      capabilities: defaults ? { elicitation: { form: { applyDefaults: true } } } : {},
      versionNegotiation: { mode: server.url === undefined ? "legacy" : "auto" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => forget() } },
    },
  );
  // The server cannot ask a person. If `defaults` is set, Cadre answers each question of the server with the default values.
  if (defaults)
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
  const transport = transportTo(parts);
  const open: Open = { client, transport, listing: undefined };
  const forget = (): void => {
    open.listing = undefined;
  };
  begun(transport);
  client.onclose = lost;
  // Ignore errors outside of requests: they must not make a call fail.
  client.onerror = () => {};
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
    return open;
  } catch (error) {
    const why = reasonOf(error, transport);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw new Error(why);
  }
}

function transportTo({ server, folder, environment, env }: ConnectionParts): Transport {
  const { command, args = [], url } = server;
  if (url !== undefined) return createHttpTransport(url, expandVariables(server.headers ?? {}, env));
  const own = expandVariables(server.env ?? {}, env);
  return createStdioTransport([command!, ...args], { cwd: folder, env: { ...environment, ...own } });
}

const MAX_PAGES = 50;

/** Lists a server's tools, page by page. Stops when the server has more tools than Cadre accepts. */
export async function listTools(client: Client, name: string): Promise<Listing> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], problems: ["it has no tools"] };
  const offered: unknown[] = [];
  // All pages share one time limit, because a server could have many slow pages.
  const signal = AbortSignal.timeout(CONNECT_MS);
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && offered.length <= MAX_TOOLS; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, { signal });
    offered.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return readListing(name, offered);
}

export function reasonOf(error: unknown, transport: Transport): string {
  const { why } = transport as Partial<StdioTransport>;
  if (why !== undefined) return why;
  if (error instanceof SdkHttpError && error.status === 401)
    return "it wants a sign-in (401), which Cadre does not do: give it a token by `headers` in cadre.yaml";
  if (error instanceof SdkHttpError && error.status === 403)
    return "it refuses us (403): check its `headers`";
  return messageOf(firstCause(error)).slice(0, 1_000);
}

/** Finds the innermost cause. In `probe failed: fetch failed: connect ECONNREFUSED`, it is `connect ECONNREFUSED`. */
function firstCause(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < 8; depth++) {
    const { cause: next, data } = cause as { cause?: unknown; data?: { cause?: unknown } };
    const deeper = next ?? data?.cause;
    if (!(deeper instanceof Error)) break;
    cause = deeper;
  }
  return cause;
}
