// The connection to one MCP server. It opens on first use and reopens after a loss. Each failure increases the delay before the next attempt.
// All runs of the process share the connection. A process that needs no MCP server never loads the MCP package.
//  C6  The list of tools is cached until the server says that its tools have changed, or until the connection reopens.

import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../clock.ts";
import { messageOf } from "../errors.ts";
import type { Open } from "./client.ts";
import { type Connection, type ConnectionParts, ServerFailure } from "./connection.ts";
import type { Listing } from "./listing.ts";

const ENDED = "it was ended with this process";
const client = () => import("./client.ts");

export function createConnection(parts: ConnectionParts): Connection {
  const { name } = parts;
  const backOff = createBackOff(parts.clock);
  let open: Promise<Open> | undefined;
  let transport: Transport | undefined;
  let isClosed = false;

  const recordFailure = (why: string): never => {
    backOff.failed(why);
    throw new ServerFailure(`The MCP server ${name} cannot be used: ${why}.`, false);
  };
  const begin = async (lost: () => void): Promise<Open> => {
    const { connect } = await client();
    if (isClosed) throw new Error(ENDED);
    return connect(parts, { lost, begun: (one) => (transport = one) });
  };
  const openConnection = (): Promise<Open> => {
    if (open) return open;
    const why = isClosed ? ENDED : backOff.waiting();
    if (why !== undefined) throw new ServerFailure(`The MCP server ${name} cannot be used: ${why}.`, false);
    const lost = (): void => {
      if (open === opening) open = undefined;
    };
    const opening: Promise<Open> = begin(lost).catch((error) => {
      lost();
      return recordFailure(messageOf(error));
    });
    open = opening;
    return opening;
  };
  const connectAndList = async (): Promise<Omit<Open, "listing"> & { listing: Listing }> => {
    const at = await openConnection();
    const { listTools, reasonOf } = await client();
    at.listing ??= listTools(at.client, name);
    try {
      const listing = await at.listing;
      backOff.succeeded();
      return { ...at, listing };
    } catch (error) {
      const why = reasonOf(error, at.transport);
      await at.client.close();
      return recordFailure(why);
    }
  };
  return {
    list: async (signal) => (await abortable(connectAndList(), signal)).listing,
    async call(tool, input, signal) {
      const at = await abortable(connectAndList(), signal);
      const { callTool } = await client();
      return callTool(at, { tool, input, signal });
    },
    async close() {
      isClosed = true;
      await transport?.close().catch(() => undefined);
    },
  };
}

/** Rejects the promise for one caller when that caller's signal aborts. The work continues for other callers. */
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

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Delays new attempts to reach a failed server: 1 s, 2 s, 4 s … up to a minute. A caller that tries sooner gets the last error. */
function createBackOff(clock: Clock) {
  let failures = 0;
  let last = "";
  let notBefore = 0;
  return {
    /** Says why we must wait before trying the server again. Returns undefined if no wait is needed. */
    waiting(): string | undefined {
      const wait = notBefore - clock.elapsed();
      return wait > 0 ? `${last}. It is tried again in ${Math.ceil(wait / 1000)} s` : undefined;
    },
    failed(why: string): void {
      // If several callers waited for the same attempt, count only one failure.
      if (clock.elapsed() < notBefore) return;
      last = why;
      notBefore = clock.elapsed() + Math.min(FIRST_MS * 2 ** failures++, LONGEST_MS);
    },
    succeeded(): void {
      failures = 0;
    },
  };
}
