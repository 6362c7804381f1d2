// The connection to one server: opened when it is first needed, and again, after a while, when it was lost. One connection
// serves all runs of the process. Everything has a time limit, and every failure is one sentence for whoever called.
//  C5  A call that may have happened is told from one that has not: `sent`.
//  C6  What a listing says counts until the server says that it has changed, or the connection is another one.

import { type CallToolResult, Client, SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import cadre from "../../package.json" with { type: "json" };
import type { Clock } from "../clock.ts";
import { filledIn } from "../config/filled-in.ts";
import type { McpServer } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import { createBackOff } from "./back-off.ts";
import { createHttpTransport } from "./http.ts";
import { CONNECT_MS, LONGEST_CALL_MS } from "./limits.ts";
import { type ListedTool, type Listing, MAX_TOOLS, readListing } from "./listing.ts";
import { createStdioTransport, type StdioTransport } from "./stdio.ts";

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

interface Open {
  client: Client;
  transport: Transport;
  listing?: Promise<Listing> | undefined;
}

export function createConnection(parts: ConnectionParts): Connection {
  const { name } = parts;
  const backOff = createBackOff(parts.clock);
  let open: Promise<Open> | undefined;
  let transport: Transport | undefined;
  let isClosed = false;

  const failed = (why: string): never => {
    backOff.failed(why);
    throw new ServerFailure(`The MCP server ${name} cannot be used: ${why}.`, false);
  };
  const connected = (): Promise<Open> => {
    if (open) return open;
    const why = isClosed ? "it was ended with this process" : backOff.waiting();
    if (why !== undefined) throw new ServerFailure(`The MCP server ${name} cannot be used: ${why}.`, false);
    const lost = (): void => {
      if (open === opening) open = undefined;
    };
    const opening: Promise<Open> = connect(parts, { lost, begun: (one) => (transport = one) }).catch(
      (error) => {
        lost();
        return failed(messageOf(error));
      },
    );
    open = opening;
    return opening;
  };
  const listed = async (): Promise<Omit<Open, "listing"> & { listing: Listing }> => {
    const at = await connected();
    at.listing ??= listTools(at.client, name);
    try {
      const listing = await at.listing;
      backOff.succeeded();
      return { ...at, listing };
    } catch (error) {
      const why = reasonOf(error, at.transport);
      await at.client.close();
      return failed(why);
    }
  };
  return {
    list: async (signal) => (await abortable(listed(), signal)).listing,
    call: async (tool, input, signal) => callTool(await abortable(listed(), signal), { tool, input, signal }),
    async close() {
      isClosed = true;
      await transport?.close().catch(() => undefined);
    },
  };
}

interface Call {
  tool: ListedTool;
  input: Record<string, unknown>;
  signal: AbortSignal;
}

async function callTool(
  { client, transport }: Pick<Open, "client" | "transport">,
  { tool: { name, inputSchema }, input, signal }: Call,
): Promise<CallToolResult> {
  try {
    const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } };
    const options = { signal, timeout: LONGEST_CALL_MS, toolDefinition };
    return await client.callTool({ name, arguments: input }, options);
  } catch (error) {
    const why = reasonOf(error, transport);
    // A server at an address that has started anew knows nothing of us: the next call introduces us again.
    if (error instanceof SdkHttpError) await client.close();
    throw new ServerFailure(why, true);
  }
}

interface Hooks {
  begun(transport: Transport): void;
  lost(): void;
}

async function connect(parts: ConnectionParts, { begun, lost }: Hooks): Promise<Open> {
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
  // Nobody is asked: with `defaults` the server gets what it proposes itself, and otherwise it cannot ask at all.
  if (defaults)
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
  const transport = transportTo(parts);
  const open: Open = { client, transport, listing: undefined };
  const forget = (): void => {
    open.listing = undefined;
  };
  begun(transport);
  client.onclose = lost;
  // What a server says out of turn is no failure of a call.
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
  if (url !== undefined) return createHttpTransport(url, filledIn(server.headers ?? {}, env));
  const own = filledIn(server.env ?? {}, env);
  return createStdioTransport([command!, ...args], { cwd: folder, env: { ...environment, ...own } });
}

const MAX_PAGES = 50;

/** All pages, and no more tools than we look at. */
async function listTools(client: Client, name: string): Promise<Listing> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], problems: ["it has no tools"] };
  const offered: unknown[] = [];
  // For all pages together: a server may have any number of slow ones.
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

/** The connecting goes on for others; this caller is not kept. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  work.catch(() => undefined);
  return new Promise<T>((done, fail) => {
    const stop = (): void => fail(new ServerFailure(messageOf(signal.reason), false));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(done, fail).finally(() => signal.removeEventListener("abort", stop));
  });
}

function reasonOf(error: unknown, transport: Transport): string {
  const { why } = transport as Partial<StdioTransport>;
  if (why !== undefined) return why;
  if (error instanceof SdkHttpError && error.status === 401)
    return "it wants a sign-in (401), which Cadre does not do: give it a token by `headers` in cadre.yaml";
  if (error instanceof SdkHttpError && error.status === 403)
    return "it refuses us (403): check its `headers`";
  return messageOf(firstCause(error)).slice(0, 1_000);
}

/** Of `probe failed: fetch failed: connect ECONNREFUSED`, the last. */
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
