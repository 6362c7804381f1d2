// Checks whether the worker that listened at an address is gone.
// The worker is gone if nothing listens there any more, or if another worker does.
// No answer proves nothing: a frozen worker still has its port, and the network may be down.
// If the address leads to the asking worker itself, the worker is gone only if both have the same machine name.
// Then its process was restarted. Otherwise the address may lead elsewhere (each container has its own 127.0.0.1).

import { connect } from "node:http2";
import { WORKER_HEADER } from "./listen.ts";

export interface Taken {
  worker: string;
  /** The address on which Restate reached the worker. */
  host: string;
  port: number;
}

const PATIENCE_MS = 1_000;

/** `me` is the name of the asking worker. */
export function isGone({ worker, host, port }: Taken, me: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
    const answer = (gone: boolean): void => {
      clearTimeout(silence);
      session.destroy();
      resolve(gone);
    };
    const silence = setTimeout(() => answer(false), PATIENCE_MS);
    session.on("error", (error: NodeJS.ErrnoException) => answer(error.code === "ECONNREFUSED"));
    const request = session.request({ ":path": "/healthz" }).on("error", () => {});
    request.on("response", (headers) => {
      const found = headers[WORKER_HEADER];
      const isOther = found !== undefined && found !== worker;
      answer(isOther && (found !== me || machineOf(worker) === machineOf(me)));
    });
  });
}

/** A worker's name consists of its machine, its process id and a random suffix (`runtime/assembly.ts`). */
const machineOf = (worker: string): string => worker.split("-").slice(0, -2).join("-");
