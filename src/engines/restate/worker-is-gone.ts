// Checks whether the worker that listened at an address is gone.
// The worker is gone if nothing listens at its address, or if another worker listens there.
// If no answer comes, nothing is proven: the worker might be frozen, or the network might be down.
// If this worker itself listens at the address now, it compares its machine name with the old worker's. If the names are equal, the old process is gone.
// If the machine names differ, the old worker might still be running: in each container, 127.0.0.1 is another machine.

import { connect } from "node:http2";
import { WORKER_HEADER } from "./listen.ts";

export interface Taken {
  worker: string;
  /** The address at which Restate reached the worker. */
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
