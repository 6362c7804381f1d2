// Whether the worker that listened at an address is gone: nobody listens there, or another worker does. A frozen one still
// has its port, and silence may be the network's: both say nothing.

import { connect } from "node:http2";
import { WORKER_HEADER } from "./listen.ts";

export interface Taken {
  worker: string;
  /** Where it was reached. */
  host: string;
  port: number;
}

const PATIENCE_MS = 1_000;

export function isGone({ worker, host, port }: Taken): Promise<boolean> {
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
      const there = headers[WORKER_HEADER];
      answer(there !== undefined && there !== worker);
    });
  });
}
