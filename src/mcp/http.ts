// The wire to a server at an address. Exactly that address is asked and no other: no redirect is followed, no sign-in is begun,
// and nothing that the server names is fetched or opened (A51). Each answer is bounded, whether it is one message or a stream.

import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { MAX_ANSWER } from "./limits.ts";

export function createHttpTransport(url: string, headers: Record<string, string>): Transport {
  const address = new URL(url);
  return new StreamableHTTPClientTransport(address, {
    requestInit: { headers },
    redirectPolicy: "same-origin",
    onInsufficientScope: "throw",
    fetch: async (target, init) => {
      if (String(target) !== address.href) throw new Error(`only ${address.href} is asked`);
      const response = await fetch(address, { ...init, redirect: "manual" });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw new Error("it wants to send us to another address, which is not followed");
      }
      return bounded(response);
    },
  });
}

function bounded(response: Response): Response {
  let size = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_ANSWER)
        controller.error(new Error(`it sent more than ${MAX_ANSWER / 1024 / 1024} MB at once`));
      else controller.enqueue(chunk);
    },
  });
  const body = response.body?.pipeThrough(count) ?? null;
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
