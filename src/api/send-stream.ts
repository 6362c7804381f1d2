// Streams that last go out by a loop of our own. The adapter's pump answers each read with the promise of the next one:
// a chain that grows with every event for every reader, until the stream has ended.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";

type Env = { outgoing: ServerResponse };

/** For the adapter: everything but event streams it sends itself. */
export const pipeEventStreams =
  (app: Pick<Hono, "fetch">) =>
  async (request: Request, env: object): Promise<Response> => {
    const response = await app.fetch(request, env);
    if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response;
    const { outgoing } = env as Env;
    outgoing.setHeaders(response.headers).writeHead(response.status).flushHeaders();
    void pipe(response.body, outgoing);
    return RESPONSE_ALREADY_SENT;
  };

async function pipe(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const reader = body.getReader();
  outgoing.once("close", () => {
    closed.abort();
    void reader.cancel();
  });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      if (!outgoing.write(read.value)) await once(outgoing, "drain", { signal: closed.signal });
    outgoing.end();
  } catch {
    // Gone, or ended by an error that its maker has told of: either way nothing more comes.
    outgoing.destroy();
  }
}
