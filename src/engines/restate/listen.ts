// The HTTP/2 server (without TLS) through which Restate calls a worker, with `/healthz` for the load balancer.

import { once } from "node:events";
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { CadreError, describeSystemError } from "../../errors.ts";

export interface Listening {
  readonly address: string;
  /** The address at which the last incoming connection reached this server. A configured address could be wrong. */
  reachedAt(): { host: string; port: number };
  /** Makes the server answer every further request with 503, so that the load balancer uses other workers. */
  refuse(): void;
  /** Closes the server after the current responses, or after a second. */
  close(): Promise<void>;
}

export interface Served {
  /** The name of this worker. The answers to `/healthz` contain it as a header. */
  worker: string;
  handler(request: Http2ServerRequest, response: Http2ServerResponse): void;
}

export const WORKER_HEADER = "cadre-worker";

const GOODBYE_MS = 1_000;

export async function listen(
  at: { host: string; port: number },
  { worker, handler }: Served,
): Promise<Listening> {
  const sessions = new Set<ServerHttp2Session>();
  let host = at.host;
  let refuses = false;
  const server = createServer((request, response) => {
    const isHealth = request.url === "/healthz";
    if (isHealth || refuses) response.writeHead(refuses ? 503 : 200, { [WORKER_HEADER]: worker }).end();
    else handler(request, response);
  });
  server.on("session", (session) => {
    host = session.socket.localAddress ?? host;
    sessions.add(session);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  server.listen(at.port, at.host);
  await once(server, "listening").catch((error: unknown) => {
    throw new CadreError(
      "CONFIG_INVALID",
      `This worker cannot listen for Restate at ${at.host}:${at.port} (${describeSystemError(error)}). Nothing was begun; set \`restate.listen\` to an address that is free.`,
    );
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${at.host}:${port}`,
    reachedAt: () => ({ host, port }),
    refuse() {
      refuses = true;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const session of sessions) session.close();
      const impatient = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, GOODBYE_MS);
      await closed;
      clearTimeout(impatient);
    },
  };
}
