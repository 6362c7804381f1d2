// The transport to an MCP server at a URL.
// The transport requests only the configured URL. It follows no redirects, starts no sign-in, and ignores other URLs that the server names (A51).
// The size of each response is limited, whether the response is one message or a stream.
// If a server sends more than the limit, Cadre closes the connection (A54).

import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { MAX_ANSWER, tooMuch } from "./connection.ts";

export interface HttpTransport extends Transport {
  /** Why Cadre closed the connection. Undefined if Cadre did not close it. */
  readonly why: string | undefined;
}

export function createHttpTransport(url: string, headers: Record<string, string>): HttpTransport {
  const address = new URL(url);
  let why: string | undefined;
  const hangUp = (): void => {
    why ??= tooMuch;
    void transport.close();
  };
  const transport = new StreamableHTTPClientTransport(address, {
    requestInit: { headers },
    onInsufficientScope: "throw",
    fetch: async (target, init) => {
      if (String(target) !== address.href) throw new Error(`only ${address.href} is asked`);
      const response = await fetch(address, { ...init, redirect: "manual" });
      if (response.status < 300 || response.status >= 400) return limitSize(response, hangUp);
      await response.body?.cancel();
      throw new Error("it wants to send us to another address, which is not followed");
    },
  });
  return Object.defineProperty(transport, "why", { get: () => why }) as unknown as HttpTransport;
}

function limitSize(response: Response, onTooMuch: () => void): Response {
  let size = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size <= MAX_ANSWER) return controller.enqueue(chunk);
      onTooMuch();
      controller.error(new Error(tooMuch));
    },
  });
  const body = response.body?.pipeThrough(count) ?? null;
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
